// The Stripe adapter on trial as any processor: two accounts at the twin, and what the twin knows of them.
import { z } from 'zod';
import type { Connection, Processor } from '../../../src/processors/processor.ts';
import { openStripe, type Stripe } from '../../../src/processors/stripe/stripe.ts';
import { liveWorld } from '../../../src/world.ts';
import type { Decided, Effect, Incoming, Make, TestCard } from '../../contract/processor/bench.ts';
import type { Trait } from '../../contract/processor/row.ts';
import { Failure } from '../../support/stripe-twin/failure.ts';
import type { Lie } from '../../support/stripe-twin/lies.ts';
import { openStripeTwin, type StripeTwin, type TwinAccount } from '../../support/stripe-twin/stripe-twin.ts';
import { signatureOf } from '../../support/stripe-twin/webhooks.ts';

const METHODS: { readonly [C in Exclude<TestCard, 'not_taken'>]: string } = {
  approved: 'pm_card_visa',
  declined: 'pm_card_chargeDeclinedInsufficientFunds',
  pending: 'pm_card_processing',
};
const BUSY = {
  status: 429,
  body: JSON.stringify({ error: { type: 'invalid_request_error', code: 'lock_timeout', message: 'Locked.' } }),
};

/** By docs.stripe.com/currencies: how much larger Stripe's numbers are than ours. */
const TIMES: { readonly [currency: string]: number } = { isk: 100, ugx: 100, mga: 1 / 100, iqd: 1 / 10, lyd: 1 / 10 };

/** The movements of money of an account, by the keys of the requests that made them; a customer's page has no key. */
function effectsOf(twin: StripeTwin, { events }: TwinAccount): readonly Effect[] {
  const ours = new Set(events.map(({ data }) => 'id' in data.object && data.object.id));
  const all = twin.effects().filter(({ paymentIntent }) => ours.has(paymentIntent));
  return all.flatMap(({ kind, key, reference: ofPayment, amount, currency, charge }) => {
    const reference = key ?? (kind === 'hold' ? ofPayment : undefined);
    if (reference === undefined) return [];
    const about = { reference, currencyCode: currency.toUpperCase() };
    const heldBy = (kinds: readonly string[]): number =>
      all.reduce((sum, one) => (one.charge === charge && kinds.includes(one.kind) ? sum + one.amount : sum), 0);
    switch (kind) {
      case 'release':
        // of the rest after a capture, by the same request
        return all.some((one) => one.key === key && one.kind === 'capture') ? [] : [{ ...about, amount: 0 }];
      case 'increase':
        return [{ ...about, amount: heldBy(['hold', 'increase']) }];
      default:
        return [{ ...about, amount: amount / (TIMES[currency] ?? 1) }];
    }
  });
}

/** The event that Stripe sent of what was decided; `change`: as it would have been otherwise. */
function eventOf(
  accounts: readonly TwinAccount[],
  item: Decided | 'unreadable' | undefined,
  change: { readonly livemode?: boolean } = {},
): string {
  const type =
    item === undefined || item === 'unreadable' || item.outcome === 'succeeded'
      ? 'payment_intent.amount_capturable_updated'
      : 'payment_intent.payment_failed';
  if (item === undefined || item === 'unreadable')
    return JSON.stringify({ object: 'event', id: 'evt_1', type, created: 1, livemode: false, data: { object: {} } });
  const event = accounts
    .flatMap(({ events }) => events)
    .find((one) => one.type === type && 'id' in one.data.object && one.data.object.id === item.processorTransactionId);
  if (event === undefined) throw new Error(`Stripe sent no ${type}`);
  return JSON.stringify({ ...event, created: item.at / 1_000, ...change });
}

export const TRAITS: readonly Trait[] = [
  'prepares',
  'fences',
  'secrets',
  'modes',
  'confirms_again',
  'challenges',
  'saves',
];

const KINDS: { readonly [usage: string]: string } = {
  recurring: 'RECURRING',
  installment: 'INSTALLMENT',
  unscheduled: 'UNSCHEDULED',
};

/** The newest event of a type, as it is sent. */
function newestOf({ events }: TwinAccount, type: string, id?: string): string {
  const event = events.findLast(
    (one) => one.type === type && (id === undefined || ('id' in one.data.object && one.data.object.id === id)),
  );
  if (event === undefined) throw new Error(`Stripe sent no ${type}`);
  return JSON.stringify(event);
}
const Made = z.object({
  data: z.object({
    object: z.object({
      payment_method_options: z.object({ card: z.object({ stored_credential_usage: z.string().optional() }) }),
    }),
  }),
});

/** The payment method in a token of ours. */
const methodIn = (processorToken: string): string => processorToken.split('/')[1] ?? processorToken;

/** `change`: the processor that is tried in the adapter's place; `lies`: what the twin does otherwise than Stripe. */
export const stripeOnTrial =
  (change: (stripe: Stripe) => Processor = (stripe) => stripe, lies: readonly Lie[] = []): Make =>
  async (through) => {
    const twin = await openStripeTwin({ accounts: [{ id: 'acct_ours' }, { id: 'acct_theirs' }], lies: new Set(lies) });
    const [ours, theirs = ours] = twin.accounts;
    const stripe = openStripe({ world: liveWorld });
    const apiUrl = await through(twin.url, BUSY);
    const connectionOf = ({ id, secretKey }: TwinAccount): Connection => ({
      connectionId: id,
      processor: 'stripe',
      secrets: { secretKey, webhookSecret: `whsec_${id}` },
      apiUrl,
      burnProven: true,
    });
    const accountOf = ({ connectionId }: Connection): TwinAccount => (connectionId === theirs.id ? theirs : ours);
    const signed = (raw: string, { secrets: { webhookSecret = '' } }: Connection, at: number): Incoming => ({
      raw,
      headers: { 'stripe-signature': signatureOf([webhookSecret], raw, at) },
    });
    return {
      processor: change(stripe),
      connection: connectionOf(ours),
      otherConnection: connectionOf(theirs),
      card: (kind, connection) => ({
        fieldType: 'confirmation_token',
        fieldToken: kind === 'not_taken' ? 'ctoken_of_nobody' : accountOf(connection).confirmationToken(METHODS[kind]),
      }),
      effects: async (connection) => effectsOf(twin, accountOf(connection)),
      advance: (ms) => twin.moveClock(ms),
      notifying: {
        body: ([item], connection, at) => signed(eventOf(twin.accounts, item), connection, at),
        forged: (came) => ({ ...came, raw: came.raw.replaceAll(':1000', ':9000') }),
        ofOtherMode: (item, connection, at) => signed(eventOf(twin.accounts, item, { livemode: true }), connection, at),
      },
      confirmAgain(intent) {
        try {
          return ours.confirmAgain(intent, 'pm_card_visa').status === 'requires_capture';
        } catch {
          return false; // canceled, for the twin
        }
      },
      challenges: {
        card: () => ({
          fieldType: 'confirmation_token',
          fieldToken: ours.confirmationToken('pm_card_threeDSecure2Required'),
        }),
        async answer({ processorTransactionId }, isApproved) {
          try {
            ours[isApproved ? 'approve' : 'fail'](processorTransactionId);
          } catch (error) {
            if (!(error instanceof Failure)) throw error; // canceled, for the twin
          }
        },
      },
      saved: {
        card: (connection) => ({
          fieldType: 'confirmation_token',
          fieldToken: accountOf(connection).confirmationToken('pm_card_mastercard'),
        }),
        async laterUse({ processorTransactionId }, connection) {
          const made = newestOf(accountOf(connection), 'payment_intent.created', processorTransactionId);
          const { card } = Made.parse(JSON.parse(made)).data.object.payment_method_options;
          return { kind: KINDS[card.stored_credential_usage ?? ''] };
        },
        updated(processorToken, connection, at) {
          const account = accountOf(connection);
          account.updateMethod(methodIn(processorToken), { expMonth: 12, expYear: 2049 });
          return signed(newestOf(account, 'payment_method.automatically_updated'), connection, at);
        },
        withdrawn(processorToken, connection, at) {
          const account = accountOf(connection);
          account.endMandate(methodIn(processorToken));
          return signed(newestOf(account, 'mandate.updated'), connection, at);
        },
      },
      async close() {
        stripe.close();
        await twin.close();
      },
    };
  };
