// Chains that threads check: they find what a walk in the order of the log finds, whatever was done to the file.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { walkChains, walkLog } from '../../src/audit/verify-log.ts';
import { hashOf } from '../../src/journal/envelope.ts';
import type { Batch, EventStore, NewEvent } from '../../src/stores/event-store.ts';
import { openSqliteEventStore } from '../../src/stores/sqlite/event-store.ts';
import { openDatabase } from '../../src/stores/sqlite/file/database.ts';
import { newUuid } from '../../src/world.ts';
import { faultOf } from '../contract/store-under-test.ts';
import { calmWorld } from '../support/calm-world.ts';

/** More than a share of a thread. */
const STREAMS = 900;
/** More than a page. */
const LONG = 1_200;
const nowhere = new AbortController().signal;
const report = (fault: unknown): never => {
  throw fault;
};
/** A log in which streams take turns, with a long stream, the store's own and those of another program. */
const streams = ['store-0', 'payment-long', ...Array.from({ length: STREAMS }, (_, n) => nameOf(n))];
const lengthOf = (stream: string): number => (stream === 'payment-long' ? LONG : stream === 'store-0' ? 1 : 3);

function nameOf(n: number): string {
  return `${n % 10 === 0 ? 'foreign' : 'payment'}-${String(n).padStart(18, '0')}`;
}

function nextOf(before: NewEvent | undefined): NewEvent {
  const metadata = JSON.stringify({ schemaVersion: 1, previousHash: before === undefined ? '' : hashOf(before) });
  return { id: newUuid(calmWorld), type: 'Tested', data: '{"amount":1}', metadata };
}

async function write(store: EventStore): Promise<void> {
  for (let revision = 0; revision < 3; revision += 1)
    await Promise.all(
      streams.map(async (stream) => {
        const left = revision < 2 ? 1 : lengthOf(stream) - 2;
        let last: NewEvent | undefined;
        for await (const stored of store.read(stream, revision - 2)) last = stored;
        const events = Array.from({ length: left }, () => {
          last = nextOf(last);
          return last;
        });
        if (revision < lengthOf(stream)) await store.append(stream, revision - 1, events);
      }),
    );
}

const OF = (n: number): string => `(SELECT id FROM streams WHERE name = '${nameOf(n)}')`;
const EVENT = (n: number, revision: number): string => `stream = ${OF(n)} AND revision = ${revision}`;

/** By what was done to the file: the statements. */
const TAMPERINGS: Readonly<Record<string, string>> = {
  'data changed': `UPDATE events SET data = '{"amount":2}' WHERE ${EVENT(851, 1)}`,
  'data of a last event that is not JSON': `UPDATE events SET data = '{"amount"' WHERE ${EVENT(851, 2)}`,
  'data in the middle of the long stream changed':
    "UPDATE events SET data = '{}' WHERE revision = 1100 AND stream = (SELECT id FROM streams WHERE name = 'payment-long')",
  'a first event deleted': `DELETE FROM events WHERE ${EVENT(851, 0)}`,
  'an event in the middle deleted': `DELETE FROM events WHERE ${EVENT(3, 1)}`,
  'a last event deleted': `DELETE FROM events WHERE ${EVENT(3, 2)}`,
  'the name of a stream gone': `DELETE FROM streams WHERE name = '${nameOf(7)}'`,
  'a stream said to be of another category, and changed': `UPDATE streams SET category = 'foreign' WHERE name = '${nameOf(7)}';
    UPDATE events SET data = '{}' WHERE ${EVENT(7, 1)}`,
  'a stream with a number that no thread reads, and changed': `UPDATE events SET stream = 0 WHERE stream = ${OF(7)};
    UPDATE streams SET id = 0 WHERE name = '${nameOf(7)}';
    UPDATE events SET data = '{}' WHERE ${EVENT(7, 1)}`,
  'two streams of one name': `UPDATE streams SET name = '${nameOf(851)}' WHERE name = '${nameOf(7)}'`,
  'the places of two events in the log exchanged': `CREATE TEMP TABLE places AS SELECT position FROM events WHERE stream = ${OF(851)};
    UPDATE events SET position = -1 WHERE ${EVENT(851, 1)};
    UPDATE events SET position = (SELECT position FROM places ORDER BY position LIMIT 1 OFFSET 1) WHERE ${EVENT(851, 0)};
    UPDATE events SET position = (SELECT min(position) FROM places) WHERE ${EVENT(851, 1)}`,
  'a first event moved before the log': `UPDATE events SET position = -7 WHERE ${EVENT(851, 0)}`,
  'data of another program changed': `UPDATE events SET data = '{}' WHERE ${EVENT(10, 1)}`,
};

describe('the chains of a log that threads check', () => {
  let directory: string;
  const at = (name: string): string => join(directory, `${name}.db`);
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'counterfoil-chains-'));
    const store = await openSqliteEventStore({ file: at('whole'), world: calmWorld, report });
    await write(store);
    await store.close();
  });
  after(() => rm(directory, { recursive: true }));

  async function tampered(title: string, sql: string): Promise<void> {
    const options = { synchronous: 'normal', busyTimeoutMs: 0, cacheKiB: 64 } as const;
    const whole = await openDatabase({ ...options, file: at('whole') });
    whole.exec(`VACUUM INTO '${at(title)}'`);
    whole.close();
    const copy = await openDatabase({ ...options, file: at(title) });
    copy.exec(sql);
    copy.close();
  }

  type Walked = Pick<EventStore, 'follow' | 'head' | 'spread'>;
  interface Opened {
    readonly events: Walked;
    /** How often the log was followed. */
    readonly follows: () => number;
  }
  async function on<T>(name: string, threads: number | undefined, work: (opened: Opened) => Promise<T>): Promise<T> {
    const from = threads === undefined ? Number.POSITIVE_INFINITY : 0;
    const store = await openSqliteEventStore({
      file: at(name),
      world: calmWorld,
      report,
      spread: { from, threads: threads ?? 1 },
    });
    let follows = 0;
    const counted = (...args: Parameters<EventStore['follow']>): AsyncIterable<Batch> => {
      follows += 1;
      return store.follow(...args);
    };
    const spread = store.spread?.bind(store) ?? expect.fail('the store has no threads');
    const events = { follow: counted, spread, head: () => store.head() };
    try {
      return await work({ events, follows: () => follows });
    } finally {
      await store.close();
    }
  }
  const walked = async (events: Walked) =>
    walkLog(events, { to: await events.head(), sizes: [1, 1_000], since: 500 }, nowhere);
  const chains = async (events: Walked) => walkChains(events, { to: await events.head() }, nowhere);

  it('are whole, with the same tree and the same counts, and no walk in the order of the log is needed', async () => {
    const one = await on('whole', undefined, ({ events }) => walked(events));
    expect(one).to.include({ broken: 0, streams: streams.length });
    expect(one.storeId).to.match(/^[0-9a-f-]{36}$/);
    await on('whole', 3, async ({ events, follows }) => {
      expect(await walked(events)).to.deep.equal(one);
      const { events: count, storeId } = one;
      expect(await chains(events)).to.include({ events: count, broken: 0, storeId });
      expect(follows()).to.equal(0);
    });
  });

  for (const [title, sql] of Object.entries(TAMPERINGS))
    it(`have the breaks that a walk in the order of the log finds: ${title}`, async () => {
      await tampered(title, sql);
      const one = await on(title, undefined, ({ events }) => walked(events));
      const isFound = one.broken > 0;
      expect(isFound).to.equal(!/last event deleted|name of a stream gone|of another program/.test(title));
      await on(title, 3, async ({ events }) => {
        expect(await walked(events)).to.deep.equal(one);
        const { events: count, broken, storeId } = one;
        expect(await chains(events)).to.include({ events: count, broken, storeId });
      });
    });

  it('are left at the reason of a signal, with every thread ended', async () => {
    await on('whole', 2, async ({ events }) => {
      const stopping = new AbortController();
      const to = await events.head();
      const onProgress = (): void => stopping.abort(new Error('enough'));
      expect(String(await faultOf(walkLog(events, { to, onProgress }, stopping.signal)))).to.match(/enough/);
      expect(
        String(await faultOf(walkChains(events, { to, onProgress }, AbortSignal.abort(new Error('no'))))),
      ).to.match(/no/);
    });
  });
});
