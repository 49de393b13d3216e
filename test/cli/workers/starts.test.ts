// counterfoil serve --workers: workers that are killed while the service starts.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { until } from '../../support/until.ts';
import { Place } from '../processes.ts';
import { ask } from './workers.ts';

describe('a service of several workers that starts', () => {
  let place: Place;
  beforeEach(() => {
    place = new Place();
  });
  afterEach(() => place.remove());

  /** Code that each worker runs first; it knows its place as `number`, and the files `held` and `let-go`. */
  const first = (code: string): { readonly NODE_OPTIONS: string } => {
    const file = join(place.dir, 'first.cjs');
    writeFileSync(
      file,
      `const { existsSync, writeFileSync } = require('node:fs');
      const [held, letGo] = ['held', 'let-go'].map((name) => ${JSON.stringify(place.dir)} + '/' + name);
      const { COUNTERFOIL_WORKER_PLACE: place } = process.env;
      if (place !== undefined && require('node:worker_threads').isMainThread) {
        const { number } = JSON.parse(place);
        ${code}
      }`,
    );
    return { NODE_OPTIONS: `--require ${file}` };
  };
  /** The worker at this place stops before it runs any code of the service, until the file \`let-go\` is there. */
  const held = (number: number): string =>
    `if (number === ${number} && !existsSync(letGo)) {
      writeFileSync(held, process.pid + ' ');
      process.kill(process.pid, 'SIGSTOP');
    }`;
  const heldPid = async (): Promise<number> => {
    const file = join(place.dir, 'held');
    await until(() => existsSync(file) && readFileSync(file, 'utf8').endsWith(' '));
    return Number(readFileSync(file, 'utf8'));
  };
  const letGo = (): void => writeFileSync(join(place.dir, 'let-go'), '');
  const linesOf = (stdout: string, begin: string): number =>
    stdout.split('\n').filter((line) => line.startsWith(begin)).length;

  for (const number of [1, 2]) {
    it(`replaces worker ${number}, which is killed before it listens, and prints its address and its key once`, async () => {
      const starting = place.serve('--workers 2', first(held(number)));
      const pid = await heldPid();
      letGo();
      process.kill(pid, 'SIGKILL');
      const serving = await starting;
      // Worker 1 may have listened before the end of worker 2 is reported.
      const reported = `Worker ${number} ended by SIGKILL; a replacement starts in 0.25 s.`;
      await until(() => serving.stderr().includes(reported));
      await until(() => serving.stderr().includes('2 workers are ready'));
      expect([linesOf(serving.stdout(), 'Listening on '), linesOf(serving.stdout(), 'API key: ')]).to.deep.equal([
        1, 1,
      ]);
      await until(async () => (await ask(serving.url, '/health/ready')).status === 200);
      expect(await serving.end('SIGTERM')).to.include({ code: 0 });
    });
  }

  it('lets the replacement of worker 1 print the address when worker 1 is killed after it listened', async () => {
    const pidFile = join(place.dir, 'first-pid');
    const env = first(`if (number === 1) writeFileSync(${JSON.stringify(pidFile)}, process.pid + ' '); ${held(2)}`);
    const starting = place.serve('--workers 2', env);
    const second = await heldPid(); // it begins when worker 1 listens
    const pid = Number(readFileSync(pidFile, 'utf8'));
    process.kill(pid, 'SIGKILL');
    letGo();
    process.kill(second, 'SIGCONT');
    const serving = await starting;
    expect(linesOf(serving.stdout(), 'API key: ')).to.equal(1);
    expect(Number(readFileSync(pidFile, 'utf8'))).not.to.equal(pid);
    await until(async () => (await ask(serving.url, '/health/ready')).status === 200);
    expect(await serving.end('SIGTERM')).to.include({ code: 0 });
  });

  it('ends when the same worker was killed five times: 1, with the reason', async () => {
    const ran = await place.run('serve --workers 2 --port 0', { env: first(`process.kill(process.pid, 'SIGKILL');`) });
    expect(ran).to.include({ code: 1, stdout: '' });
    expect(ran.stderr.match(/a replacement starts/g)).to.have.length(4);
    expect(ran.stderr).to.match(/\nWorker 1 ended by SIGKILL while the service started\.\n$/);
  });
});
