// The appends of a copy that are under way together: many, in order, within bounds, and all over when the copy is.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { copyLog } from '../../src/journal/copy-log.ts';
import type { EventStore } from '../../src/stores/event-store.ts';
import { openMemoryEventStore } from '../../src/stores/memory/event-store.ts';
import { StoreUnavailable } from '../../src/stores/store-unavailable.ts';
import { eventOf, eventsOf, faultOf } from '../contract/store-under-test.ts';

const options = { signal: new AbortController().signal };
const gone = new StoreUnavailable('gone', { outcomeUnknown: false });

interface Sent {
  readonly stream: string;
  readonly after: number;
  readonly end: (fault?: Error) => void;
}

/** A copy into a store whose appends end when the test says so. */
function copyInto(target: EventStore, source: EventStore) {
  const sent: Sent[] = [];
  const slow: EventStore = {
    append: (stream, after, events) =>
      new Promise((resolve, reject) => {
        const end = (fault?: Error): void =>
          fault === undefined ? resolve(target.append(stream, after, events)) : reject(fault);
        sent.push({ stream, after, end });
      }),
    read: (stream, after) => target.read(stream, after),
    follow: (after, categories, until) => target.follow(after, categories, until),
    head: () => target.head(),
    close: () => target.close(),
  };
  return { sent, copying: copyLog(source, slow, options) };
}

/** Waits until `count` appends were sent, and as long as more would take. */
async function sentUntil(sent: readonly Sent[], count: number): Promise<void> {
  while (sent.length < count) await nextTurn();
  for (let turn = 0; turn < 10; turn += 1) await nextTurn();
}

async function interleaved(rounds: number): Promise<EventStore> {
  const store = openMemoryEventStore();
  for (let round = 0; round < rounds; round += 1)
    for (const stream of ['payment-a', 'payment-b', 'clientSession-c'])
      await store.append(stream, round - 1, eventsOf(1));
  return store;
}

describe('the appends of a copy', () => {
  it('are under way many at a time, in their order, and no more is sent once one has failed', async () => {
    const { sent, copying } = copyInto(openMemoryEventStore(), await interleaved(100));
    const over = faultOf(copying);
    await sentUntil(sent, 64);
    expect(sent).to.have.length(64);
    sent[0]?.end();
    await sentUntil(sent, 65);
    expect(sent.slice(0, 4).map(({ stream, after }) => `${stream}@${after + 1}`)).to.deep.equal([
      'payment-a@0',
      'payment-b@0',
      'clientSession-c@0',
      'payment-a@1',
    ]);
    sent[40]?.end(gone);
    await nextTurn();
    for (const one of sent.slice(1)) one.end();
    expect(await over).to.equal(gone);
    expect(sent).to.have.length(65);
  });

  it('are never of more bytes together than a store holds back', async () => {
    const source = openMemoryEventStore();
    for (let n = 0; n < 12; n += 1) await source.append(`payment-${n}`, -1, [eventOf('x'.repeat(400 * 1024))]);
    const { sent, copying } = copyInto(openMemoryEventStore(), source);
    for (let ended = 0; ended < 12; ended += 1) {
      const fits = Math.min(5, 12 - ended);
      await sentUntil(sent, ended + fits);
      expect(sent.length - ended).to.equal(fits);
      sent[ended]?.end();
    }
    expect(await copying).to.include({ events: 12 });
  });

  it('are all over when the copy fails', async () => {
    const { sent, copying } = copyInto(openMemoryEventStore(), await interleaved(1));
    let isOver = false;
    const over = faultOf(copying).finally(() => {
      isOver = true;
    });
    await sentUntil(sent, 3);
    sent[0]?.end(gone);
    await sentUntil(sent, 3);
    expect(isOver).to.equal(false);
    for (const { end } of sent) end();
    expect(await over).to.equal(gone);
  });
});
