// Repeated kill -9 under load on one data directory. CRASH_ROUNDS sets how often (12); CRASH_SEED repeats a run.
import { expect } from 'chai';
import { z } from 'zod';
import { pause } from '../support/calm-world.ts';
import { type Acknowledged, Memory, randomFrom, Shopper } from '../support/load.ts';
import { authorized } from '../support/load-calls.ts';
import { DataDirectory, errorsIn } from '../support/service-process.ts';
import { until } from '../support/until.ts';
import { brokenChains, type Told } from '../webhooks/chain.ts';
import { openReceiver, type Receiver } from '../webhooks/receiver.ts';
import { toldIn } from '../webhooks/told-node.ts';
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

const Events = z.object({ data: z.array(z.object({ eventId: z.string() })) });

describe(`kill -9 under load, ${ROUNDS} times (seed ${SEED})`, function () {
  this.timeout(300_000 + ROUNDS * 20_000);
  const directory = new DataDirectory();
  const memory = new Memory();
  const random = randomFrom(SEED);
  const shoppers = Array.from(
    { length: SHOPPERS },
    (_, index) => new Shopper(`${SEED}-${index}`, memory, randomFrom(SEED + 1 + index)),
  );
  const seen = { sentAgain: 0 };
  let receiver: Receiver;
  before(async () => {
    receiver = await openReceiver();
    const { serving, client } = await directory.serve(); // makes the account
    await directory.place.json(`webhooks endpoints add --url ${receiver.url}`);
    await serving.end('SIGKILL');
    client.close();
  });
  after(async () => {
    await receiver.close();
    await directory.remove();
  });

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
    expect(serving.process.exitCode, 'the process ended on its own').to.equal(null);
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

  it('tells a receiver of everything that GET /events lists, in unbroken chains', async () => {
    const { serving, client } = await directory.serve();
    const told = (): readonly Told[] => receiver.received.map(({ text }) => toldIn(text));
    const { id: last } = await authorized(client); // its message is the newest of all
    await until(() => told().some(({ subjectId }) => subjectId === last));
    const listed: string[] = [];
    for (let after = ''; ; after = `?after=${listed.at(-1)}`) {
      const { data } = Events.parse((await client.call('GET', `/events${after}`)).body);
      listed.push(...data.map(({ eventId }) => eventId));
      if (data.length === 0) break;
    }
    expect(listed).not.to.deep.equal([]);
    await until(() => {
      const got = new Set(told().map(({ eventId }) => eventId));
      return listed.every((eventId) => got.has(eventId));
    });
    expect(brokenChains(told())).to.deep.equal([]);
    console.log(
      `      ${listed.length} messages, ${receiver.received.length - new Set(told().map(({ eventId }) => eventId)).size} came again`,
    );
    await serving.end('SIGTERM');
    client.close();
  });

  aftermath({
    memory,
    open: (world) => directory.stores(world),
    key: () => directory.key,
    timeoutMs: 300_000 + ROUNDS * 5_000,
    told: () => `${ROUNDS} kills, ${seen.sentAgain} sent again`,
  });
});
