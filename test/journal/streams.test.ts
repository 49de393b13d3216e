// A process's memory of streams: bounded by size, and right whatever was forgotten.
import { expect } from 'chai';
import { z } from 'zod';
import { category, event } from '../../src/domain/category.ts';
import { accept, type Decider } from '../../src/domain/decider.ts';
import { FoldBudget } from '../../src/journal/fold-cache.ts';
import { Streams } from '../../src/journal/streams.ts';
import { transact, transactNew } from '../../src/journal/transact.ts';
import type { EventStore } from '../../src/stores/event-store.ts';
import { openMemoryEventStore } from '../../src/stores/memory/event-store.ts';
import { calmWorld } from '../support/calm-world.ts';

const noteCategory = category('note', z.discriminatedUnion('type', [event('Written', z.strictObject({ text: z.string() }))]));
type NoteEvent = z.infer<typeof noteCategory.event>;
const note: Decider<{ readonly text: string }, NoteEvent> = {
  category: noteCategory,
  initial: { text: '' },
  evolve: (_note, { data }) => data,
};
const context = { accountId: 'a', actor: { kind: 'operator' as const, id: 'test' }, at: 1, correlationId: 'r', operationId: 'o' };
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
    const streams = new Streams(note, { events, world: calmWorld, report: () => undefined, folds }, async () => undefined);
    const large = 'x'.repeat(900 * 1024);
    for (let index = 0; index < 40; index += 1) await transactNew(streams, `n${index}`, context, written(`${index}${large}`));
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
