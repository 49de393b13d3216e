// Repeated kill -9 under load on one data directory. CRASH_ROUNDS sets how often (12); CRASH_SEED repeats a run.
import { expect } from 'chai';
import { pause } from '../support/calm-world.ts';
import { type Acknowledged, Memory, randomFrom, Shopper } from '../support/load.ts';
import { DataDirectory, errorsIn } from '../support/service-process.ts';
import { until } from '../support/until.ts';
import { aftermath } from './aftermath.ts';
import { lostOf } from './books.ts';

const ROUNDS = Number(process.env['CRASH_ROUNDS'] ?? 12);
const SEED = Number(process.env['CRASH_SEED'] ?? Date.now() % 1_000_000);
const SHOPPERS = 16;
/** The life of a process under load, ms. */
const SHORTEST_MS = 100;
const LONGEST_MS = 700;
/** The writes that a process must acknowledge before it is killed, on a machine too slow for any work in that time. */
const FEWEST_WRITES = 5;
/** The longer life of a process with a rebuild, which is killed with it anywhere from its first event to its swap. */
const REBUILD_MS = 5_000;

describe(`kill -9 under load, ${ROUNDS} times (seed ${SEED})`, function () {
  this.timeout(300_000 + ROUNDS * 20_000);
  const directory = new DataDirectory();
  const memory = new Memory();
  const random = randomFrom(SEED);
  const shoppers = Array.from({ length: SHOPPERS }, (_, index) => new Shopper(`${SEED}-${index}`, memory, randomFrom(SEED + 1 + index)));
  const seen = { sentAgain: 0 };
  after(() => directory.remove());

  async function round(known: ReadonlyMap<string, Acknowledged>, isRebuilding: boolean): Promise<void> {
    const { serving, client } = await directory.serve();
    // Acknowledged and unknown effects since the last look.
    const fresh = [...memory.acknowledged.values()].filter((one) => known.get(one.path) !== one);
    expect(await lostOf(client, fresh)).to.deep.equal([]);
    const sentAgain = memory.sendAgain(client);
    const over = new AbortController();
    const rebuild = isRebuilding ? directory.startToKill('projections rebuild --all') : undefined;
    const livesMs = SHORTEST_MS + random() * ((isRebuilding ? REBUILD_MS : LONGEST_MS) - SHORTEST_MS);
    const shopping = shoppers.map((shopper) => shopper.shop(client, over.signal));
    const enough = memory.writes + FEWEST_WRITES;
    await pause(livesMs);
    await until(() => memory.writes >= enough || serving.process.exitCode !== null);
    expect(serving.process.exitCode, 'the process ended by itself').to.equal(null);
    await Promise.all([serving.end('SIGKILL'), rebuild?.kill()]);
    over.abort();
    await Promise.all(shopping);
    seen.sentAgain += await sentAgain;
    client.close();
    expect([...client.faults, ...errorsIn(serving.stderr()), ...memory.surprises]).to.deep.equal([]);
  }

  it('loses no acknowledged effect, and has an unacknowledged one once after its request is repeated', async () => {
    for (let n = 0; n < ROUNDS; n += 1) {
      const known = new Map(memory.acknowledged);
      await round(known, n % 10 === 7);
    }
  });

  aftermath({
    memory,
    open: (world) => directory.stores(world),
    key: () => directory.key,
    timeoutMs: 300_000 + ROUNDS * 5_000,
    told: () => `${ROUNDS} kills, ${seen.sentAgain} sent again`,
  });
});
