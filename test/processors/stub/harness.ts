// The stub on trial: its adapter, its acquirer, and the acquirer's notifications.
import type { Processor } from '../../../src/processors/processor.ts';
import { liveWorld } from '../../../src/world.ts';
import type { Decided, Make, TestCard } from '../../contract/processor/bench.ts';
import type { Trait } from '../../contract/processor/row.ts';
import { announcementOf, CARD, LATER_CARD, OTHER_SECRETS, openAcquirer, POOR_CARD, SECRETS } from './acquirer.ts';
import type { Stub, StubOptions } from './stub.ts';

export const ONE_STEP: readonly Trait[] = ['secrets', 'batches'];
export const TWO_STEPS: readonly Trait[] = [...ONE_STEP, 'prepares', 'fences'];

const NUMBERS: { readonly [C in TestCard]: string } = {
  approved: CARD,
  declined: POOR_CARD,
  pending: LATER_CARD,
  not_taken: '4000000000000002',
};
const connectionOf = (connectionId: string, secrets: typeof SECRETS) => ({
  connectionId,
  processor: 'stub',
  secrets,
});
/** The acquirer's own words while another request works on the same transaction. */
const BUSY = { status: 423, body: '{"error":"busy"}' };

function eventOf(item: Decided | 'unreadable', place: number): object {
  if (item === 'unreadable') return { type: 'decided', id: `n-${place}` };
  const { reference, processorTransactionId: id, outcome, amount, at } = item;
  const about = { id, reference, operation: 'authorization', amount, currency: 'EUR' };
  const transaction = outcome === 'succeeded' ? { ...about, state: 'done' } : { ...about, state: 'refused' };
  return { type: 'decided', id: `n-${reference}`, at, transaction };
}

/** `change`: the processor that is tried in the stub's place. */
export const stubOnTrial =
  (open: (options: StubOptions) => Stub, change: (stub: Stub) => Processor = (stub) => stub): Make =>
  async (through) => {
    const acquirer = await openAcquirer();
    const stub = open({ url: await through(acquirer.url, BUSY), world: liveWorld, secrets: SECRETS });
    return {
      processor: change(stub),
      connection: connectionOf('stub', SECRETS),
      otherConnection: connectionOf('other', OTHER_SECRETS),
      card: (kind) => ({
        card: { number: NUMBERS[kind], expirationMonth: '12', expirationYear: '2039', cvc: '123' },
      }),
      effects: async ({ secrets: { apiKey = '' } }) =>
        acquirer
          .transactionsOf(apiKey)
          .flatMap(({ state, reference, amount, currency: currencyCode }) =>
            state === 'done' ? [{ reference, amount, currencyCode }] : [],
          ),
      advance: async (ms) => acquirer.advance(ms),
      notifying: {
        body: (items, { secrets: { webhookSecret } }, signedAt) =>
          announcementOf(items.map(eventOf), signedAt, webhookSecret),
        forged: (came) => ({ ...came, raw: came.raw.replaceAll('"amount":1000', '"amount":9000') }),
      },
      async close() {
        stub.close();
        await acquirer.close();
      },
    };
  };
