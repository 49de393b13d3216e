// counterfoil serve --workers: all its processes end together, also where they cannot start.
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { calmWorld } from '../../support/calm-world.ts';
import { until } from '../../support/until.ts';
import { Place } from '../processes.ts';
import { ask, begun, started } from './workers.ts';

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
      'this is no store, but a text that is long enough for the head of a file of a database'.repeat(20),
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
      `Another program listens on 127.0.0.1:${port} already. Stop it, or take another port: --port or COUNTERFOIL_PORT (0: a free one).\n`,
    );
    expect(wrong).to.include({ code: 2, stderr: '--workers is "none": allowed is a whole number from 1 to 64, or max.\n' });
    expect(metrics).to.include({ code: 1, stdout: '' });
    expect(metrics.stderr).to.match(/^Another program listens on /);
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

  it('leaves no worker running when its supervisor is killed, and its workers finish their requests', async () => {
    const serving = await started(place);
    const running = [await begun(serving), await begun(serving)];
    const ended = serving.end('SIGKILL'); // resolves when no process holds its output any more
    await untilRefused(serving.url);
    expect(await Promise.all(running.map(({ finish }) => finish()))).to.deep.equal([200, 200]);
    expect(await ended).to.include({ code: null });
  });
});

const untilRefused = (url: string): Promise<void> => until(async () => !(await isAnswered(url)));

/** A connection that arrives at the moment of the stop may be kept, without an answer, until the last worker has ended. */
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
