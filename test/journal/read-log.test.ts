// Reading a part of the log: where it ends, and that the subscription ends with it.
import { expect } from 'chai';
import { readLog } from '../../src/journal/read-log.ts';
import type { Batch, EventStore } from '../../src/stores/event-store.ts';

const never = new AbortController().signal;
const batch = (position: bigint, caughtUp = false): Batch => ({ events: [], position, caughtUp });

/** A log of these batches; afterwards it waits for its signal, as a live one does, or `ends`. */
function logOf(
  batches: readonly Batch[],
  ends = false,
): { readonly events: Pick<EventStore, 'follow'>; readonly signals: AbortSignal[] } {
  const signals: AbortSignal[] = [];
  return {
    signals,
    events: {
      async *follow(_after, _categories, signal) {
        signals.push(signal);
        for (const one of batches) {
          if (signal.aborted) return;
          yield one;
        }
        if (!ends && !signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
      },
    },
  };
}

async function positions(batches: AsyncIterable<Batch>): Promise<readonly bigint[]> {
  const read: bigint[] = [];
  for await (const { position } of batches) read.push(position);
  return read;
}

describe('a part of the log', () => {
  it('ends with the batch that reaches its last position, and ends the subscription', async () => {
    const { events, signals } = logOf([batch(1n), batch(4n), batch(9n)]);
    expect(await positions(readLog(events, { after: -1n, to: 3n, categories: [] }, never))).to.deep.equal([1n, 4n]);
    expect(signals.map(({ aborted }) => aborted)).to.deep.equal([true]);
  });

  it('ends, without a last position, with the first batch that nothing newer follows', async () => {
    const { events } = logOf([batch(1n), batch(4n, true), batch(9n, true)]);
    expect(await positions(readLog(events, { after: -1n, to: 'end', categories: [] }, never))).to.deep.equal([1n, 4n]);
  });

  it('asks the store for nothing when it is empty', async () => {
    const { events, signals } = logOf([batch(1n)]);
    expect(await positions(readLog(events, { after: 3n, to: 3n, categories: [] }, never))).to.deep.equal([]);
    expect(signals).to.deep.equal([]);
  });

  it('ends the subscription when its reader stops earlier', async () => {
    const { events, signals } = logOf([batch(1n), batch(4n)]);
    for await (const _ of readLog(events, { after: -1n, to: 9n, categories: [] }, never)) break;
    expect(signals.map(({ aborted }) => aborted)).to.deep.equal([true]);
  });

  it('rejects with the reason of a signal that aborts before its end', async () => {
    const stop = new AbortController();
    const { events } = logOf([batch(1n)]);
    const reading = positions(readLog(events, { after: -1n, to: 9n, categories: [] }, stop.signal)).catch(
      (fault: unknown) => fault,
    );
    stop.abort('enough');
    expect(await reading).to.equal('enough');
  });

  it('rejects where the store ends before it', async () => {
    const { events } = logOf([batch(1n)], true);
    const read = positions(readLog(events, { after: -1n, to: 9n, categories: [] }, never)).catch(
      (fault: unknown) => fault,
    );
    expect(await read).to.have.property('code', 'LogEnded');
  });
});
