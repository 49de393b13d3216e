// A payment at a moment of the past, held against a plain fold: every payment of the golden log, at and around the time
// of each event.
import { expect } from 'chai';
import type { Payment } from '../../src/domain/payment/payment.ts';
import { isKnown } from '../../src/domain/payment/queries.ts';
import { payment } from '../../src/domain/payment/state.ts';
import { type Folding, unsealEvent } from '../../src/journal/envelope.ts';
import { Streams } from '../../src/journal/streams.ts';
import { readPaymentAt } from '../../src/queries/read-payments.ts';
import { openMemoryEventStore } from '../../src/stores/memory/event-store.ts';
import { categoryOf, idOf } from '../../src/stores/stream-name.ts';
import { plainGoldenEvents, readGoldenLog } from '../golden/golden-log.ts';
import { calmWorld } from '../support/calm-world.ts';

type Event = Folding<Parameters<typeof payment.evolve>[1]>;

const foldOf = (events: readonly Event[]): Payment =>
  events.reduce((state, { event, recorded }) => payment.evolve(state, event, recorded), payment.initial);

describe('a payment at a moment of the past', () => {
  it('is the fold of all that was recorded by then, for every payment of the golden log', async () => {
    const stored = plainGoldenEvents(await readGoldenLog()).filter(
      ({ stream }) => categoryOf(stream) === payment.category.name,
    );
    const events = openMemoryEventStore();
    const streams = new Streams(payment, { events, world: calmWorld, report: () => undefined }, async () => undefined);
    const read = readPaymentAt(streams);
    let moments = 0;
    for (const stream of new Set(stored.map((one) => one.stream))) {
      const own = stored.filter((one) => one.stream === stream);
      await events.append(stream, -1, own);
      const told = own.map((one) => unsealEvent(payment.category, one));
      const now = foldOf(told);
      const id = idOf(stream);
      if (!isKnown(now)) continue;
      for (const { recorded } of told) {
        for (const at of [recorded.at - 1, recorded.at, recorded.at + 1]) {
          const before = told.filter((one) => one.recorded.at <= at);
          const expected = foldOf(before);
          const then = await read(id, now.accountId, { at });
          if (isKnown(expected))
            expect(then, `${id} at ${at}`).to.deep.include({ revision: before.length - 1, doc: expected });
          else expect(then, `${id} at ${at}`).to.include({ kind: 'rejected', errorId: 'NotFound' });
          expect(await read(id, 'acc_other', { at })).to.include({ errorId: 'NotFound' });
          moments += 1;
        }
      }
    }
    expect(moments).to.be.above(100);
  });
});
