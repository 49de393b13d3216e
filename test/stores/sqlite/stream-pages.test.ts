// Pages of whole streams: each event equals the one from reading its stream, even if the file was altered.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import type { EventStore, StoredEvent } from '../../../src/stores/event-store.ts';
import { openSqliteEventStore } from '../../../src/stores/sqlite/event-store.ts';
import { type Database, openDatabase } from '../../../src/stores/sqlite/file/database.ts';
import { StreamPages } from '../../../src/stores/sqlite/stream-pages.ts';
import { eventsOf } from '../../contract/store-under-test.ts';
import { calmWorld } from '../../support/calm-world.ts';

const STREAMS = ['wanted-a', 'wanted-b', 'wanted-c'];
/** More than the first page, which has 32 events, and the second one hold. */
const MANY = 70;

describe('pages of whole streams', () => {
  let directory: string;
  let store: EventStore;
  let beside: Database;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'counterfoil-pages-'));
    const file = join(directory, 'events.db');
    const report = (fault: unknown): void => {
      throw fault;
    };
    store = await openSqliteEventStore({ file, world: calmWorld, report });
    for (const stream of STREAMS) await store.append(stream, -1, eventsOf(MANY));
    beside = await openDatabase({ file, synchronous: 'full', busyTimeoutMs: 1_000, cacheKiB: 64 });
  });
  afterEach(async () => {
    beside.close();
    await store.close();
    await rm(directory, { recursive: true });
  });

  /** Without their joined texts; where there is one it is what the chain's hash is over. */
  const inPages = (): readonly StoredEvent[] => {
    const found: StoredEvent[] = [];
    for (const { events } of new StreamPages(beside, { categories: ['wanted'], to: 1_000_000 }).of({
      after: 0,
      upTo: 1_000,
    }))
      for (const { text, isObject, ...event } of events) {
        expect(isObject).not.to.equal(true);
        if (text !== undefined) expect(text).to.equal([event.id, event.type, event.data, event.metadata].join('\n'));
        found.push(event);
      }
    return found;
  };
  const inStreams = async (): Promise<readonly StoredEvent[]> => {
    const found: StoredEvent[] = [];
    for (const stream of STREAMS) for await (const event of store.read(stream, -1)) found.push(event);
    return found;
  };

  it('hold every event as its stream does', async () => {
    expect(inPages())
      .to.deep.equal(await inStreams())
      .and.to.have.length(STREAMS.length * MANY);
  });

  it('hold an event whole whose type, data or metadata has newlines in it', async () => {
    for (const [position, part] of [
      [3, 'type'],
      [40, 'data'],
      [80, 'metadata'],
    ] as const)
      beside
        .prepare(`UPDATE events SET ${part} = char(10) || ${part} || char(10) || '{}' WHERE position = ?`)
        .run(position);
    expect(inPages()).to.deep.equal(await inStreams());
  });

  it('say that data are an object only of those that a parser reads as one', () => {
    const set = beside.prepare('UPDATE events SET data = CAST(? AS TEXT) WHERE position = 0');
    const plan = { categories: ['wanted'], to: 0, checksData: true } as const;
    const stored = (data: string): StoredEvent | undefined => {
      set.run(Buffer.from(data)); // a text would end at its first NUL
      const [page] = new StreamPages(beside, plan).of({ after: 0, upTo: 1_000 });
      return page?.events[0];
    };
    const added = fc.oneof(
      fc.json(),
      fc.string({ unit: 'binary' }),
      fc.constantFrom(...'{}[]",:\\\0\n\t 01-+.eE/*\'ux'),
    );
    const altered = fc
      .tuple(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(), fc.nat(3), added)
      .map(([object, at, removed, piece]) => {
        const text = JSON.stringify(object);
        const place = at % (text.length + 1);
        return text.slice(0, place) + piece + text.slice(place + removed);
      });
    const check = (data: string): void => {
      const event = stored(data);
      if (event?.isObject === true) expect(JSON.parse(event.data)).to.be.an('object');
    };
    fc.assert(fc.property(altered, check), { numRuns: 3_000 });
    for (const data of ['{}\0', '{}\0}', '{"a":1,}', "{'a':1}", '{"a":1']) check(data);
    expect(stored('{"a":[1,{"b":null}]}')?.isObject).to.equal(true);
    expect(stored('{"a":1,}')?.isObject).to.equal(false);
    expect(stored('[]')?.isObject).to.equal(false);
  });

  it('name a stream whose first events are missing', async () => {
    beside.exec('DELETE FROM events WHERE revision < 3');
    expect(inPages())
      .to.deep.equal(await inStreams())
      .and.to.have.length(STREAMS.length * (MANY - 3));
  });
});
