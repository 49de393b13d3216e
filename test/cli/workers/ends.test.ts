// counterfoil serve --workers: all its processes end together, even if they cannot start.
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { calmWorld } from '../../support/calm-world.ts';
import { until } from '../../support/until.ts';
import { parseExposition } from '../../telemetry/exposition.ts';
import { compiledMain } from '../built.ts';
import { firstKeyIn, Place } from '../processes.ts';
import { ask, begun, pidOf, session, started, times } from './workers.ts';

/** Much longer than an answer takes, and shorter than the time that a worker gives to requests which run (10 s). */
const ANSWERED_WITHIN_MS = 3_000;

describe('a service of several workers', () => {
  let place: Place;
  beforeEach(() => {
    place = new Place();
  });
  afterEach(() => place.remove());

  it('ends as one process does where it cannot start: with one message, and no other try', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const address = other.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    writeFileSync(
      join(place.dir, 'none.db'),
      'this is not a store, but a text that is long enough for the head of a file of a database'.repeat(20),
    );
    const env = { COUNTERFOIL_SECRET: 'A'.repeat(43) };
    const [taken, wrong, metrics, store] = await Promise.all([
      place.run(`serve --workers 2 --port ${port}`),
      place.run('serve --workers none'),
      place.run(`serve --workers 2 --port 0 --metrics-port ${port}`),
      place.run('serve --workers 2 --port 0 --event-store sqlite:none.db', { env }),
    ]);
    other.close();
    expect(taken).to.include({ code: 1, stdout: '' });
    expect(taken.stderr).to.equal(
      `Another program already listens on 127.0.0.1:${port}. Stop it, or choose another port: --port or COUNTERFOIL_PORT (0: a free one).\n`,
    );
    expect(wrong).to.include({
      code: 2,
      stderr: '--workers is "none": allowed is a whole number from 1 to 64, or max.\n',
    });
    expect(metrics).to.include({ code: 1, stdout: '' });
    expect(metrics.stderr).to.match(/^Another program already listens on /);
    const alone = await place.run('serve --port 0 --event-store sqlite:none.db', { env });
    expect(store).to.deep.equal(alone);
    expect(store.code).to.equal(3);
  });

  it('finishes running requests when it is told to stop, and takes no other', async () => {
    const serving = await started(place);
    const running = [await begun(serving), await begun(serving)];
    const ended = serving.end('SIGTERM');
    await untilRefused(serving.url);
    expect(await Promise.all(running.map(({ finish }) => finish()))).to.deep.equal([200, 200]);
    expect(await ended).to.include({ code: 0 });
  });

  it('ends a worker that has just begun, and listens for no words yet', async () => {
    await place.remove();
    place = new Place(compiledMain()); // which is loaded file by file, and meanwhile hears no words
    const [held, hold] = [join(place.dir, 'held'), join(place.dir, 'hold.cjs')];
    writeFileSync(hold, '');
    const serving = await started(place, '', { NODE_OPTIONS: `--require ${hold}` });
    const pid = pidOf(serving, 2);
    // A worker that begins from now on stops itself before it runs any code of the service.
    writeFileSync(
      hold,
      `if (process.env.COUNTERFOIL_WORKER_PLACE && require('node:worker_threads').isMainThread) {
        require('node:fs').writeFileSync(${JSON.stringify(held)}, process.pid + ' ');
        process.kill(process.pid, 'SIGSTOP');
      }`,
    );
    process.kill(pid, 'SIGKILL');
    await until(() => existsSync(held) && readFileSync(held, 'utf8').endsWith(' '));
    const ended = serving.end('SIGTERM');
    await until(() => serving.stderr().includes('SIGTERM: stopping'));
    goOn(Number(readFileSync(held, 'utf8')));
    expect(await ended).to.include({ code: 0 });
    expect(serving.stderr()).not.to.contain('they are killed');
  });

  it('counts in its metrics what workers counted that have ended while others finish', async () => {
    const serving = await started(place, '--metrics-port 0');
    const key = firstKeyIn(serving.stdout());
    await times(8, (index) => session(serving.url, key, `o-${index}`));
    const running = await begun(serving);
    const [, metrics = ''] = /Metrics at (http:[^"\s]+)/.exec(serving.stderr()) ?? [];
    const written = async (): Promise<number> =>
      parseExposition(await (await fetch(metrics)).text()).sum('counterfoil_appends_total', {
        category: 'clientSession',
        result: 'written',
      });
    expect(await written()).to.equal(8);
    const pids = [1, 2].map((number) => pidOf(serving, number));
    const ended = serving.end('SIGTERM');
    await until(() => !pids.every(isRunning));
    expect(await written()).to.equal(8);
    expect(await running.finish()).to.equal(200);
    expect(await ended).to.include({ code: 0 });
  });

  it('leaves no worker running when its supervisor is killed, and its workers finish their requests', async () => {
    const serving = await started(place);
    const running = [await begun(serving), await begun(serving)];
    const ended = serving.end('SIGKILL'); // resolves when no process holds its output any longer
    await untilRefused(serving.url);
    expect(await Promise.all(running.map(({ finish }) => finish()))).to.deep.equal([200, 200]);
    expect(await ended).to.include({ code: null });
  });
});

/** A process that stopped itself; SIGTERM may have ended it just before it did. */
function goOn(pid: number): void {
  if (isRunning(pid)) process.kill(pid, 'SIGCONT');
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

const untilRefused = (url: string): Promise<void> => until(async () => !(await isAnswered(url)));

/**
 * A connection that arrives at the moment of the stop may be kept, without an answer, until the last worker has ended.
 */
async function isAnswered(url: string): Promise<boolean> {
  const answered = ask(url, '/health/live').then(
    () => true,
    () => false,
  );
  const late = new AbortController();
  const isLate = calmWorld.sleep(ANSWERED_WITHIN_MS, late.signal).then(
    () => false,
    () => false,
  );
  try {
    return await Promise.race([answered, isLate]);
  } finally {
    late.abort();
  }
}
