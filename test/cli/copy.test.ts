// counterfoil copy, as a process that is killed on its way: from the embedded store to EventStoreDB and back, and
// served from there.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { z } from 'zod';
import { secretFileIn } from '../../src/cli/open/machine-secrets.ts';
import { openSqliteEventStore } from '../../src/stores/sqlite/event-store.ts';
import { lostOf, verifyChains } from '../crash/books.ts';
import { calmWorld } from '../support/calm-world.ts';
import {
  type EventStoreDbLoopback,
  openEventStoreDbLoopback,
} from '../support/eventstoredb-loopback/eventstoredb-loopback.ts';
import { Memory, randomFrom, Shopper } from '../support/load.ts';
import { nodeArguments, scriptBeside } from '../support/script.ts';
import { DataDirectory } from '../support/service-process.ts';
import { until } from '../support/until.ts';

const KILLS = 5;
/** Writes of the shop before its log is copied: more than are under way when a copy is killed. */
const WRITES = 500;

const Result = z.object({ events: z.int(), copied: z.int(), sourceDigest: z.string(), targetDigest: z.string() });

describe('counterfoil copy', () => {
  const directory = new DataDirectory();
  const memory = new Memory();
  let server: EventStoreDbLoopback;
  let embedded: string;
  let back: string;
  let events = 0;

  before(async () => {
    const data = join(directory.place.dir, 'eventstoredb');
    await mkdir(data);
    server = await openEventStoreDbLoopback({ directory: data });
    const { serving, client } = await directory.serve();
    const over = new AbortController();
    const shoppers = Array.from({ length: 8 }, (_, n) =>
      new Shopper(`s${n}`, memory, randomFrom(n), 'prompt').shop(client, over.signal),
    );
    await until(() => memory.acknowledged.size >= WRITES);
    over.abort();
    await Promise.all(shoppers);
    expect((await serving.end('SIGTERM')).code).to.equal(0);
    embedded = `sqlite:${join(directory.dir, 'events.db')}`;
    events = await eventsIn(embedded);
  });
  after(async () => {
    await server.kill();
    await directory.remove();
  });

  /** It is killed five times on its way, each time after some events more, then it comes to its end. */
  async function copied(from: string, to: string): Promise<z.output<typeof Result>> {
    for (let kill = 1; kill <= KILLS; kill += 1) {
      const more = String(Math.floor(events / (10 * KILLS)));
      const child = spawn(
        process.execPath,
        nodeArguments(scriptBeside('./copy-child', import.meta.url), from, to, more),
        {
          stdio: ['ignore', 'ignore', 'inherit'],
        },
      );
      expect(await once(child, 'close')).to.deep.equal([null, 'SIGKILL']);
    }
    return Result.parse(await directory.place.json(`copy --data-dir production --from ${from} --to ${to}`));
  }

  it(`brings an embedded log to EventStoreDB, killed ${KILLS} times on the way`, async () => {
    const result = await copied(embedded, server.url);
    expect(result).to.include({ events, targetDigest: result.sourceDigest });
    expect(result.copied).to.be.lessThan(events);
  });

  it('can be run again, and copies no event then', async () => {
    const again = Result.parse(
      await directory.place.json(`copy --data-dir production --from ${embedded} --to ${server.url}`),
    );
    expect(again).to.include({ events, copied: 0 });
  });

  it('brings it back, killed as often', async () => {
    back = `sqlite:${join(directory.place.dir, 'back', 'events.db')}`;
    const result = await copied(server.url, back);
    expect(result).to.include({ events, targetDigest: result.sourceDigest });
    expect(result.copied).to.be.lessThan(events);
    const store = await openSqliteEventStore({ file: back.slice('sqlite:'.length), world: calmWorld, report: raise });
    const chains = await verifyChains(store);
    await store.close();
    expect(chains).to.deep.include({ broken: [], events });
  });

  it('carries a whole service over: with its secret, the other store gives the same answers', async () => {
    const secret = (await readFile(secretFileIn(directory.dir), 'utf8')).trim();
    const serving = await directory.place.serve('--json --log-level warn --data-dir production', {
      COUNTERFOIL_EVENT_STORE: server.url,
      COUNTERFOIL_SECRET: secret,
      COUNTERFOIL_RATE_LIMIT: '0',
    });
    expect(await lostOf(directory.client(serving.url), memory.acknowledged.values())).to.deep.equal([]);
    expect(memory.acknowledged.size).to.be.greaterThan(20);
    expect((await serving.end('SIGTERM')).code).to.equal(0);
  });

  it('refuses a store that holds something else, in words', async () => {
    const { code, stderr } = await directory.place.run(`copy --data-dir production --from ${back} --to ${server.url}`);
    expect([code, stderr]).to.satisfy(
      ([its, said]: [number, string]) => its === 1 && /is not a prefix of the source/.test(said),
    );
  });

  it('refuses a log without events: a log without its other files looks like that', async () => {
    const blank = join(directory.place.dir, 'blank.db');
    const store = await openSqliteEventStore({ file: blank, world: calmWorld, report: raise });
    await store.close();
    const { code, stderr } = await directory.place.run(`copy --from sqlite:${blank} --to sqlite:${blank}.copy`);
    expect(code).to.equal(1);
    expect(stderr).to.match(/has no events/);
  });

  it('names the store that is unavailable, and a log that does not exist', async () => {
    const unavailable = await directory.place.run(
      `copy --data-dir production --from ${back} --to esdb://127.0.0.1:1?tls=false --store-wait 0`,
    );
    expect(unavailable.code).to.equal(3);
    expect(unavailable.stderr).to.match(/esdb:\/\/127\.0\.0\.1:1/);
    const nothing = await directory.place.run(`copy --from sqlite:nothing.db --to ${server.url}`);
    expect(nothing.code).to.equal(2);
  });
});

/** 0 while there is no such file. */
async function eventsIn(url: string): Promise<number> {
  const store = await openSqliteEventStore({ file: url.slice('sqlite:'.length), world: calmWorld, report: raise });
  const head = await store.head();
  await store.close();
  return Number(head) + 1;
}

function raise(fault: unknown): void {
  throw fault;
}
