// Reading an embedded log in threads: each stream whole, each event once, and a clear end whatever happens to a thread.
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { EventStore, Parcel, SpreadWork } from '../../../../src/stores/event-store.ts';
import { openSqliteEventStore } from '../../../../src/stores/sqlite/event-store.ts';
import { besides } from '../../../../src/stores/sqlite/file/thread.ts';
import { StoreUnavailable } from '../../../../src/stores/store-unavailable.ts';
import { eventsOf, faultOf } from '../../../contract/store-under-test.ts';
import { calmWorld } from '../../../support/calm-world.ts';
import { Handed } from './counting-handler.ts';

/** More streams than one share holds. */
const STREAMS = 900;
/** The length of the long stream: more than two pages. */
const LONG = 2_300;

describe('a log that is read in threads', () => {
  let directory: string;
  let store: EventStore;
  let head: bigint;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'counterfoil-spread-'));
    store = await openSqliteEventStore({
      file: join(directory, 'events.db'),
      world: calmWorld,
      report: (fault) => {
        throw fault;
      },
      spread: { from: 10, threads: 3 },
    });
    await Promise.all(
      Array.from({ length: STREAMS }, async (_, n) => {
        await store.append(`wanted-${n}`, -1, eventsOf(2));
        if (n % 3 === 0) await store.append(`other-${n}`, -1, eventsOf(1));
        if (n % 2 === 0) await store.append(`wanted-${n}`, 1, eventsOf(1));
      }),
    );
    await store.append('wanted-0', 2, eventsOf(LONG));
    head = await store.head();
    await store.append('wanted-0', 2 + LONG, eventsOf(1)); // after the position up to which the others are read
  });
  after(async () => {
    await store.close();
    await rm(directory, { recursive: true });
  });

  const spread = (
    data: object,
    take: SpreadWork['take'] = async () => undefined,
    signal = new AbortController().signal,
    to = head,
  ): Promise<void> | undefined =>
    store.spread?.(
      { module: besides('./counting-handler', import.meta.url), data, categories: ['wanted'], to, take },
      signal,
    );

  it('is read to a position: each stream of the categories once and whole, page by page', async () => {
    const parcels: Parcel[] = [];
    const shares: number[] = [];
    await spread({}, async (parcel, share) => {
      parcels.push(parcel);
      shares.push(share);
    });
    const revisions = new Map<string, number>();
    for (const { note, bytes } of parcels) {
      expect(bytes.byteLength).to.equal(8);
      let [open, pages] = ['', 0];
      for (const { events, isLast } of Handed.parse(note)) {
        expect(events.length).to.be.at.most(1_000);
        for (const [stream, revision] of events) {
          expect(revision, stream).to.equal((revisions.get(stream) ?? -1) + 1);
          if (stream !== open) expect(revision, `${stream} is not interrupted`).to.equal(0);
          open = stream;
          revisions.set(stream, revision);
        }
        pages += 1;
        expect(isLast).to.equal(pages === Handed.parse(note).length);
      }
    }
    expect(revisions.size).to.equal(STREAMS);
    for (const [stream, last] of revisions) {
      const n = Number(stream.slice('wanted-'.length));
      expect(last, stream).to.equal(n === 0 ? 2 + LONG : n % 2 === 0 ? 2 : 1);
    }
    expect(shares.every((share) => share > 0 && share <= 1)).to.equal(true);
  });

  it('is not spread when it is short', () => {
    expect(spread({}, async () => undefined, new AbortController().signal, 9n)).to.equal(undefined);
  });

  for (const how of ['throws', 'dies'] as const)
    it(`is unavailable when a thread ${how}, and can be read again`, async () => {
      const fault = await faultOf(spread({ at: 'wanted-500', how }) ?? Promise.resolve());
      expect(fault).to.be.instanceOf(StoreUnavailable);
      expect(String(fault)).to.match(how === 'throws' ? /the work failed/ : /ended with code 3/);
      let taken = 0;
      await spread({}, async () => {
        taken += 1;
      });
      expect(taken).to.be.above(2);
    });

  it('hands over nothing more once its signal has aborted', async () => {
    const stopping = new AbortController();
    let taken = 0;
    const fault = await faultOf(
      spread(
        {},
        async () => {
          taken += 1;
          stopping.abort(new Error('enough'));
        },
        stopping.signal,
      ) ?? Promise.resolve(),
    );
    expect(String(fault)).to.match(/enough/);
    expect(taken).to.equal(1);
    expect(String(await faultOf(spread({}, async () => undefined, stopping.signal) ?? Promise.resolve()))).to.match(
      /enough/,
    );
  });

  it('ends with the fault of its taker', async () => {
    const full = new Error('no room');
    expect(await faultOf(spread({}, () => Promise.reject(full)) ?? Promise.resolve())).to.equal(full);
  });

  it('is unavailable where another file took its place, and where it was closed', async () => {
    const file = join(directory, 'events.db');
    await rename(file, `${file}.moved`);
    expect(await faultOf(spread({}) ?? Promise.resolve())).to.be.instanceOf(StoreUnavailable);
    await rename(`${file}.moved`, file);
    const other = await openSqliteEventStore({
      file,
      world: calmWorld,
      report: () => undefined,
      spread: { from: 10, threads: 2 },
    });
    const work = { module: besides('./counting-handler', import.meta.url), data: {}, categories: ['wanted'], to: head };
    const running = faultOf(
      other.spread?.({ ...work, take: () => other.close() }, new AbortController().signal) ?? Promise.resolve(),
    );
    expect(String(await running)).to.match(/the store is closed/);
  });
});
