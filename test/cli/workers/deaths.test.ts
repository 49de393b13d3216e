// counterfoil serve --workers: what happens when workers are killed, told to stop, or cannot start.
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { until } from '../../support/until.ts';
import { firstKeyIn, Place } from '../processes.ts';
import { ask, begun, card, isReplaced, pidOf, started, times } from './workers.ts';

describe('a service of several workers', () => {
  let place: Place;
  beforeEach(() => {
    place = new Place();
  });
  afterEach(() => place.remove());

  it('loses and doubles nothing when a worker is killed under load, and replaces it', async () => {
    const serving = await started(place, '--rate-limit 0');
    const key = firstKeyIn(serving.stdout());
    let isOver = false;
    let made = 0;
    let broken = 0;
    const pay = async (client: number): Promise<void> => {
      for (let index = 0; !isOver; index += 1) {
        const name = `${client}-${index}`;
        const repeated = async (
          path: string,
          headers: { readonly [name: string]: string },
          body: object,
        ): Promise<{ readonly [name: string]: string }> => {
          for (;;) {
            const answer = await ask(
              serving.url,
              path,
              { 'X-Idempotency-Key': `${path}-${name}`, ...headers },
              body,
            ).catch(() => undefined);
            if (answer === undefined) broken += 1;
            else if (answer.status < 300) return JSON.parse(answer.text);
            else if (answer.status !== 409) throw new Error(`${path}: ${answer.status} ${answer.text}`);
            else if (isOver) return {}; // its outcome is looked up below
          }
        };
        const { clientToken = '' } = await repeated(
          '/client-session',
          { 'X-Api-Key': key },
          { orderId: name, currencyCode: 'EUR', amount: 100 },
        );
        const { token = '' } = await repeated(
          '/checkout/payment-instruments',
          { 'X-Client-Token': clientToken },
          { card },
        );
        await repeated('/payments', { 'X-Api-Key': key }, { clientToken, paymentMethodToken: token });
        made += 1;
      }
    };
    const load = times(8, pay);
    // Again where it had no request at that moment: on a busy machine the load may be the other worker's.
    for (let kills = 0; kills < 5 && broken === 0; kills += 1) {
      const before = made;
      await until(() => made > before + 20);
      const pid = pidOf(serving, 1);
      process.kill(pid, 'SIGKILL');
      await isReplaced(serving, 1, pid);
    }
    const before = made;
    await until(() => made > before + 20);
    isOver = true;
    await load;
    expect(broken).to.be.above(0);
    expect(broken).to.be.below(60);
    await settled(place);
    const diff = await place.run('sandbox diff');
    expect(diff, diff.stdout).to.include({ code: 0 });
    const listed = (await place.run('audit streams --prefix payment- --json')).stdout;
    const streams: { readonly data: readonly unknown[] } = JSON.parse(listed);
    expect(streams.data.length).to.be.within(made - 8, made);
    expect(serving.stderr()).to.contain('Worker 1 ended by SIGKILL; a replacement starts');
  });

  it('passes on a connection that a killed worker was handed and never took', async () => {
    const serving = await started(place);
    const pid = pidOf(serving, 2);
    process.kill(pid, 'SIGSTOP');
    const answers = times(4, () => ask(serving.url, '/health/live'));
    // the fourth is the paused worker's
    await until(() => (serving.stderr().match(/"msg":"request"/g) ?? []).length >= 3);
    process.kill(pid, 'SIGKILL');
    expect((await answers).map(({ status }) => status)).to.deep.equal([200, 200, 200, 200]);
  });

  it('replaces a worker that is told to stop, which finishes its requests', async () => {
    const serving = await started(place);
    const [first, second] = [pidOf(serving, 1), pidOf(serving, 2)];
    const running = await begun(serving);
    for (const pid of [first, second]) process.kill(pid, 'SIGTERM');
    await until(() => (serving.stderr().match(/"worker":\d,"msg":"stopping"/g) ?? []).length === 2);
    expect(await running.finish()).to.equal(200);
    await Promise.all([isReplaced(serving, 1, first), isReplaced(serving, 2, second)]);
    expect(serving.stderr()).to.contain('ended with exit code 0; a replacement starts');
    expect(await serving.end('SIGTERM')).to.include({ code: 0 });
  });

  it('keeps its port when all workers die at once', async () => {
    const serving = await started(place);
    const pids = [1, 2].map((number) => pidOf(serving, number));
    for (const pid of pids) process.kill(pid, 'SIGKILL');
    await Promise.all(pids.map((pid, place) => isReplaced(serving, place + 1, pid)));
    expect((await ask(serving.url, '/health/ready')).status).to.equal(200);
  });

  it('goes on with the others while a worker cannot start, and tries again after growing pauses', async () => {
    const serving = await started(place);
    const pid = pidOf(serving, 2);
    const secret = join(place.dir, 'data/secret.key');
    renameSync(secret, `${secret}.away`);
    process.kill(pid, 'SIGKILL');
    const pauses = (): readonly number[] =>
      [...serving.stderr().matchAll(/a replacement starts in ([\d.]+) s/g)].map(([, pause]) => Number(pause));
    await until(() => pauses().length >= 3);
    expect(pauses().slice(0, 3)).to.deep.equal([0.25, 0.5, 1]);
    expect((await ask(serving.url, '/health/ready')).status).to.equal(200);
    renameSync(`${secret}.away`, secret);
    await isReplaced(serving, 2, pid);
    expect((await ask(serving.url, '/health/ready')).status).to.equal(200);
  });
});

/**
 * Moves the clock until every attempt is settled. The processor's "not found" counts only after a while, so one move
 * may be too short.
 */
async function settled(place: Place): Promise<void> {
  const words: string[] = [];
  for (let look = 0; look < 6; look += 1) {
    expect(await place.run('sandbox clock advance 30m')).to.include({ code: 0 });
    const { code, stdout } = await place.run('sandbox wait --until-settled --timeout 10s');
    if (code === 0) return;
    words.push(stdout);
  }
  expect.fail(words.join('\n'));
}
