// A process's memory of streams: bounded by size, and right whatever was forgotten.
import { expect } from 'chai';
import { z } from 'zod';
import { category, event } from '../../src/domain/category.ts';
import { accept, type Decider } from '../../src/domain/decider.ts';
import { FoldBudget } from '../../src/journal/fold-cache.ts';
import { Streams } from '../../src/journal/streams.ts';
import { transact } from '../../src/journal/transact.ts';
import { BrokenStream } from '../../src/stores/broken-stream.ts';
import type { EventStore } from '../../src/stores/event-store.ts';
import { openMemoryEventStore } from '../../src/stores/memory/event-store.ts';
import { eventsIn, faultOf } from '../contract/store-under-test.ts';
import { calmWorld } from '../support/calm-world.ts';

const noteCategory = category(
  'note',
  z.discriminatedUnion('type', [event('Written', z.strictObject({ text: z.string() }))]),
);
type NoteEvent = z.infer<typeof noteCategory.event>;
const note: Decider<{ readonly text: string }, NoteEvent> = {
  category: noteCategory,
  initial: { text: '' },
  evolve: (_note, { data }) => data,
};
const context = {
  accountId: 'a',
  actor: { kind: 'operator' as const, id: 'test' },
  at: 1,
  correlationId: 'r',
  operationId: 'o',
};
const written = (text: string) => () => accept<NoteEvent>({ type: 'Written', data: { text } });

function counted(): { readonly events: EventStore; readonly reads: string[] } {
  const events = openMemoryEventStore();
  const reads: string[] = [];
  const read = events.read.bind(events);
  events.read = (stream, after, most) => {
    reads.push(stream);
    return read(stream, after, most);
  };
  return { events, reads };
}

describe('the folds that a process keeps', () => {
  it('are forgotten when many large ones came after, and read again', async () => {
    const { events, reads } = counted();
    const folds = new FoldBudget(32 * 1024 * 1024);
    const streams = new Streams(
      note,
      { events, world: calmWorld, report: () => undefined, folds },
      async () => undefined,
    );
    const large = 'x'.repeat(900 * 1024);
    for (let index = 0; index < 40; index += 1)
      await transact(streams, `n${index}`, context, written(`${index}${large}`), { start: 'empty' });
    expect((await streams.load('n39')).state.text.slice(0, 2)).to.equal('39');
    expect(reads).to.deep.equal([]);
    expect((await streams.load('n0')).state.text.slice(0, 2)).to.equal('0x');
    expect(reads).to.deep.equal(['note-n0']);
  });

  it('are those of a moment ago, too, where they are asked for, and what was forgotten is read up to there', async () => {
    const { events, reads } = counted();
    const parts = { events, world: calmWorld, report: () => undefined, keepsPast: true };
    const streams = new Streams(note, parts, async () => undefined);
    for (const text of ['first', 'second', 'third']) await transact(streams, 'n', context, written(text));
    reads.length = 0;
    const then = async (of: typeof streams, revision: number): Promise<readonly [string, number]> => {
      const { state, head } = await of.at('n', revision);
      return [state.text, head.revision];
    };
    expect([await then(streams, 0), await then(streams, 1), await then(streams, 2)]).to.deep.equal([
      ['first', 0],
      ['second', 1],
      ['third', 2],
    ]);
    expect(reads).to.deep.equal([]);
    const other = new Streams(note, parts, async () => undefined);
    expect(await then(other, 1)).to.deep.equal(['second', 1]);
    expect(reads).to.deep.equal(['note-n']);
  });

  it('count for their own size, not for all that was ever written to them', async () => {
    const { events } = counted();
    const streams = new Streams(note, { events, world: calmWorld, report: () => undefined }, async () => undefined);
    let folded = streams.empty;
    for (let index = 0; index < 300; index += 1) {
      const next = await streams.append('n', folded, [{ type: 'Written', data: { text: 'y'.repeat(1_000) } }], context);
      if (next === 'conflict') throw new Error('conflict');
      folded = next.folded;
    }
    expect(folded.size.estimate).to.be.lessThan(20_000);
  });
});

describe('a stream that lost its end', () => {
  const quiet = { world: calmWorld, report: () => undefined };
  const none = async (): Promise<void> => undefined;
  const each = (): void => undefined;

  /** A store that has forgotten the stream after this many events. */
  function shortened(events: EventStore, most: number): EventStore {
    return {
      append: (stream, after, list) => events.append(stream, after, list),
      async *read(stream, after) {
        for await (const stored of events.read(stream, after)) if (stored.revision < most) yield stored;
      },
      follow: (after, categories, signal) => events.follow(after, categories, signal),
      head: () => events.head(),
      close: () => events.close(),
    };
  }

  it('is broken for a process whose append was a conflict, if its last event is gone', async () => {
    const { events } = counted();
    const streams = new Streams(note, { events, ...quiet }, none);
    for (const text of ['first', 'second']) await transact(streams, 'n', context, written(text));
    const stale = await streams.load('n');
    const shorter = new Streams(note, { events: shortened(events, 1), ...quiet }, none);
    expect(await faultOf(shorter.afterConflict('n', stale, each)))
      .to.be.instanceOf(BrokenStream)
      .with.property('message')
      .that.contains('broken at revision 1: the log ends before this event');
  });

  it('that is found broken is no longer known by the fold of before', async () => {
    const { events } = counted();
    await transact(new Streams(note, { events, ...quiet }, none), 'n', context, written('first'));
    let isAltered = false;
    const read = events.read.bind(events);
    events.read = async function* altered(stream, after, most) {
      for await (const stored of read(stream, after, most))
        yield isAltered && stored.revision === 1 ? { ...stored, metadata: '{}' } : stored;
    };
    const streams = new Streams(note, { events, ...quiet }, none);
    await streams.load('n');
    await transact(new Streams(note, { events, ...quiet }, none), 'n', context, written('second'));
    expect(streams.guess('n').head.revision).to.equal(0);
    isAltered = true;
    expect(await faultOf(streams.current('n'))).to.be.instanceOf(BrokenStream);
    expect(streams.guess('n').head.revision).to.equal(-1);
  });

  it('is not broken while the event that made a conflict cannot be seen yet', async () => {
    const { events } = counted();
    const streams = new Streams(note, { events, ...quiet }, none);
    const nothing = await streams.load('n');
    expect((await streams.afterConflict('n', nothing, each)).head.revision).to.equal(-1);
    await transact(streams, 'n', context, written('first'));
    const stale = await streams.load('n');
    expect((await streams.afterConflict('n', stale, each)).head.revision).to.equal(0);
    await transact(streams, 'n', context, written('second'));
    expect((await streams.afterConflict('n', stale, each)).head.revision).to.equal(1);
  });

  it('is broken where a read model has events of it and the log has none', async () => {
    const { events } = counted();
    let known: number | undefined = 3;
    const broken = { check: each, found: each, documented: async () => known };
    const streams = new Streams(note, { events, ...quiet, broken }, none);
    expect(await faultOf(streams.current('n')))
      .to.be.instanceOf(BrokenStream)
      .with.property('message')
      .that.contains('broken at revision 0: the log has no events of the stream, but a read model has them up to 3');
    known = undefined;
    expect((await streams.current('n')).head.revision).to.equal(-1);
  });

  it('is not broken where the document is of an append of a moment ago', async () => {
    const { events, reads } = counted();
    const broken = {
      check: each,
      found: each,
      documented: () => transact(writer, 'n', context, written('first')).then(() => 0),
    };
    const writer = new Streams(note, { events, ...quiet }, none);
    expect((await new Streams(note, { events, ...quiet, broken }, none).current('n')).head.revision).to.equal(0);
    expect(reads).to.have.length(3);
  });
});

describe('the report of a stream on an append', () => {
  it('is whether it goes on, and a fold that does not is shown', async () => {
    const { events } = counted();
    const told: unknown[] = [];
    const going: typeof note = { ...note, goesOn: (list) => list.some(({ data }) => data.text === 'asked') };
    const streams = new Streams(
      going,
      { events, world: calmWorld, report: () => undefined },
      async (id, revision, state, goesOn) => {
        told.push([id, revision, state.text, goesOn]);
      },
    );
    for (const text of ['asked', 'answered']) await transact(streams, 'n', context, written(text));
    await streams.show('n', await streams.load('n'));
    expect(told).to.deep.equal([
      ['n', 0, 'asked', true],
      ['n', 1, 'answered', false],
      ['n', 1, 'answered', false],
    ]);
  });

  it('is the cause that the state knows of, before that of the request', async () => {
    const { events } = counted();
    const caused: typeof note = { ...note, causeOf: ({ text }) => (text === '' ? undefined : `because of ${text}`) };
    const streams = new Streams(caused, { events, world: calmWorld, report: () => undefined }, async () => undefined);
    for (const text of ['first', 'second']) await transact(streams, 'n', context, written(text));
    const causes = (await eventsIn(events, 'note-n')).map(({ metadata }) => JSON.parse(metadata).$causationId);
    expect(causes).to.deep.equal(['r', 'because of first']);
  });
});
