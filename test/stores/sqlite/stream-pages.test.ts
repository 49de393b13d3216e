// Pages of whole streams: each event equals the one from reading its stream, even if the file was altered.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
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
      for (const { text, ...event } of events) {
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

  it('name a stream whose first events are missing', async () => {
    beside.exec('DELETE FROM events WHERE revision < 3');
    expect(inPages())
      .to.deep.equal(await inStreams())
      .and.to.have.length(STREAMS.length * (MANY - 3));
  });
});
