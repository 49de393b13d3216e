// What would charge twice, or guess: broken variants of the Stripe adapter, and a Stripe that does otherwise than it
// says. Each must be found by a duty that the adapter itself fulfils.
import { AssertionError, expect } from 'chai';
import type { LookUp, Outcome, TakenBack } from '../../../src/domain/payment/outcome.ts';
import type {
  AuthorizationRequest,
  OperationRequest,
  Processor,
  ProcessorNotification,
} from '../../../src/processors/processor.ts';
import { failed, rowsFor } from '../../contract/processor.suite.ts';
import type { Lie } from '../../support/stripe-twin/lies.ts';
import { stripeOnTrial, TRAITS } from './on-trial.ts';
import { nameOf, openTwinShop, type TwinShop } from './twin-shop.ts';

const DAY_MS = 86_400_000;
type Stripe = Processor & Required<Pick<Processor, 'prepare' | 'fence'>>;
type Duty = (shop: TwinShop, stripe: Stripe) => Promise<void>;

const heldFor = (shop: TwinShop, { paymentId }: OperationRequest): number => shop.twin.unreversed(paymentId).length;

/** With its name on record, as the service keeps it; a variant that makes nothing first has none. */
async function recorded(shop: TwinShop, stripe: Stripe): Promise<AuthorizationRequest> {
  const request = shop.authorization();
  const prepared = await stripe.prepare(request, shop.call());
  return prepared.kind === 'prepared'
    ? { ...request, processorTransactionId: prepared.processorTransactionId }
    : request;
}

async function lost(shop: TwinShop, stripe: Stripe, request: OperationRequest, at: 'arrival' | 'running') {
  const fault = shop.twin.fault({ path: /confirm$/ }, { kind: 'hold', at });
  const deadline = new AbortController();
  const performed = stripe.perform(request, { ...shop.call(), signal: deadline.signal });
  await fault.applied;
  deadline.abort(); // not earlier: a request that never left is not lost
  await performed;
  return fault;
}

const DUTIES: { readonly [duty: string]: Duty } = {
  async 'holds once for a request that arrives again a day later'(shop, stripe) {
    const request = await recorded(shop, stripe);
    await stripe.perform(request, shop.call());
    await shop.twin.moveClock(DAY_MS + 3_600_000);
    await stripe.perform(request, shop.call());
    expect(heldFor(shop, request)).to.equal(1);
  },
  async 'finds what succeeded a moment ago'(shop, stripe) {
    const request = await recorded(shop, stripe);
    await stripe.perform(request, shop.call());
    expect(await stripe.lookUp(request, shop.call())).to.have.property('kind', 'succeeded');
  },
  async "takes no proxy's word for Stripe's"(shop, stripe) {
    const request = await recorded(shop, stripe);
    await stripe.perform(request, shop.call());
    shop.answerNext({ status: 404, body: '<html><h1>Not Found</h1></html>' });
    expect(await stripe.lookUp(request, shop.call())).not.to.have.property('kind', 'not_found');
  },
  async 'holds nothing that it called not found'(shop, stripe) {
    const request = await recorded(shop, stripe);
    const confirmation = await lost(shop, stripe, request, 'arrival');
    const fenced = await stripe.fence(request, shop.call());
    await confirmation.release();
    if (fenced.kind === 'not_found') expect(heldFor(shop, request)).to.equal(0);
    expect(fenced.kind).to.equal('not_found');
  },
  async 'calls nothing not found that runs'(shop, stripe) {
    const request = await recorded(shop, stripe);
    const confirmation = await lost(shop, stripe, request, 'running');
    const fenced = await stripe.fence(request, shop.call());
    await confirmation.release();
    if (fenced.kind === 'not_found') expect(heldFor(shop, request)).to.equal(0);
    expect(await stripe.fence(request, shop.call())).to.have.property('kind', 'succeeded');
  },
  async 'takes no success back in silence'(shop, stripe) {
    const request = await recorded(shop, stripe);
    const read = shop.twin.fault({ method: 'GET' }, { kind: 'hold', at: 'response' });
    const fencing = stripe.fence(request, shop.call());
    await read.applied;
    const confirmed = await stripe.perform(request, shop.call());
    await read.release();
    const fenced = await fencing;
    if (confirmed.kind === 'succeeded' && heldFor(shop, request) === 0) expect(fenced.kind).to.equal('released');
  },
  async 'finds a refund that is no longer on the first page'(shop, stripe) {
    const request = await shop.captured();
    const first = shop.follow(request, 'refund', { amount: 5 });
    await stripe.perform(first, shop.call());
    for (let one = 0; one < 101; one += 1)
      await stripe.perform(shop.follow(request, 'refund', { amount: 1 }), shop.call());
    expect(await stripe.lookUp(first, shop.call())).to.have.property('kind', 'succeeded');
  },
  async 'refunds nothing that it called not found'(shop, stripe) {
    const refund = shop.follow(await shop.captured(), 'refund');
    expect(await stripe.fence(refund, shop.call())).to.have.property('kind', 'not_found');
    await stripe.perform(refund, shop.call());
    expect(shop.twin.effects().filter(({ kind }) => kind === 'refund')).to.deep.equal([]);
  },
  async 'says nothing of a request that died, until its key is pruned'(shop, stripe) {
    const request = await recorded(shop, stripe);
    shop.twin.fault({ path: /confirm$/ }, { kind: 'server_error', effect: 'none' });
    await stripe.perform(request, shop.call());
    expect(await stripe.fence(request, shop.call())).to.have.property('kind', 'unknown');
    await shop.twin.moveClock(DAY_MS + 3_600_000);
    expect(await stripe.fence(request, shop.call())).to.have.property('kind', 'not_found');
  },
  async 'reports a success that it takes back'(shop, stripe) {
    const request = { ...(await recorded(shop, stripe)), processorToken: 'pm_card_threeDSecure2Required' };
    await stripe.perform(request, shop.call());
    const cancel = shop.twin.fault({ path: /cancel$/ }, { kind: 'hold', at: 'arrival' });
    const fencing = stripe.fence(request, shop.call());
    await cancel.applied;
    shop.twin.accounts[0].approve(nameOf(request));
    await cancel.release();
    expect(await fencing).to.have.property('kind', 'released');
  },
  async 'finds a refusal once'(shop, stripe) {
    const request = { ...(await recorded(shop, stripe)), processorToken: 'pm_card_chargeDeclined' };
    const declined = await stripe.perform(request, shop.call());
    expect(await stripe.perform(request, shop.call())).to.deep.equal(declined);
    expect(shop.twin.accounts[0].events.filter(({ type }) => type === 'charge.failed')).to.have.length(1);
  },
  async 'counts money as Stripe does'(shop, stripe) {
    const request = await shop.authorized({ amount: 500, currencyCode: 'ISK' });
    expect(await stripe.lookUp(request, shop.call())).to.include({ kind: 'succeeded', amount: 500 });
    expect(shop.twin.effects().at(-1)).to.include({ kind: 'hold', amount: 50_000 });
  },
};

type Variant = (stripe: Stripe, shop: TwinShop) => Stripe;
const NOT_FOUND = { kind: 'not_found' } as const;
/** A GET past the adapter. */
const got = async ({ connection: { apiUrl, secrets } }: TwinShop, path: string) =>
  fetch(`${apiUrl}${path}`, { headers: { Authorization: `Bearer ${secrets['secretKey']}` } });
const nothing = async () => ({ kind: 'unknown', detail: 'it makes nothing first' }) as const;

const BROKEN: { readonly [variant: string]: readonly [Variant, duty: string] } = {
  'looks up by listing': [
    (stripe, shop) => ({
      ...stripe,
      async lookUp(request, call): Promise<LookUp | TakenBack> {
        const query = `metadata['counterfoil_reference']:'${request.reference}'`;
        const listed = await got(shop, `/v1/payment_intents/search?query=${encodeURIComponent(query)}`);
        return (await listed.text()).includes(request.reference) ? stripe.lookUp(request, call) : NOT_FOUND;
      },
    }),
    'finds what succeeded a moment ago',
  ],
  'takes any 404 for not found': [
    (stripe, shop) => ({
      ...stripe,
      async lookUp(request, call): Promise<LookUp | TakenBack> {
        const read = await got(shop, `/v1/payment_intents/${request.processorTransactionId}`);
        return read.status === 404 ? NOT_FOUND : stripe.lookUp(request, call);
      },
    }),
    "takes no proxy's word for Stripe's",
  ],
  'makes and confirms in one': [
    (stripe) => ({
      ...stripe,
      prepare: nothing,
      async perform(request, call) {
        if (request.operation !== 'authorization') return stripe.perform(request, call);
        const prepared = await stripe.prepare(request, call);
        if (prepared.kind !== 'prepared') return { kind: 'unknown', detail: prepared.kind };
        return stripe.perform({ ...request, processorTransactionId: prepared.processorTransactionId }, call);
      },
    }),
    'holds once for a request that arrives again a day later',
  ],
  'fences by a read alone': [
    (stripe) => ({ ...stripe, fence: (request, call) => stripe.lookUp(request, call) }),
    'holds nothing that it called not found',
  ],
  'takes a used key for a burnt one': [
    (stripe) => ({
      ...stripe,
      async fence(request, call) {
        const fenced = await stripe.fence(request, call);
        return fenced.kind === 'unknown' ? NOT_FOUND : fenced;
      },
    }),
    'calls nothing not found that runs',
  ],
  'reads, then cancels': [
    (stripe) => ({
      ...stripe,
      async fence(request, call) {
        const found = await stripe.lookUp(request, call);
        if (found.kind !== 'not_found' || request.operation !== 'authorization') return found;
        const { accountId, paymentId, currencyCode, requestedAt, processorTransactionId = '' } = request;
        const about = { accountId, paymentId, currencyCode, requestedAt, amount: 0 };
        const authorization = { processorTransactionId };
        const reference = `${request.reference}x`;
        await stripe.perform({ ...about, operation: 'cancellation', reference, authorization }, call);
        return found;
      },
    }),
    'takes no success back in silence',
  ],
  'reads one page of refunds': [
    (stripe, shop) => ({
      ...stripe,
      async lookUp(request, call): Promise<LookUp | TakenBack> {
        if (request.operation !== 'refund' || 'reference' in request.authorization) return stripe.lookUp(request, call);
        const intent = request.authorization.processorTransactionId;
        const page = await got(shop, `/v1/refunds?payment_intent=${intent}&limit=100`);
        return (await page.text()).includes(request.reference) ? stripe.lookUp(request, call) : NOT_FOUND;
      },
    }),
    'finds a refund that is no longer on the first page',
  ],
};

/** What would be otherwise at Stripe, and the duty that then fails. */
const LYING: readonly (readonly [lie: Lie, duty: string])[] = [
  ['key_per_endpoint', 'refunds nothing that it called not found'],
  ['key_ignored', 'refunds nothing that it called not found'],
  ['key_ignores_parameters', 'says nothing of a request that died, until its key is pruned'],
  ['key_never_pruned', 'says nothing of a request that died, until its key is pruned'],
  ['server_error_not_saved', 'says nothing of a request that died, until its key is pruned'],
  ['stale_read', 'finds what succeeded a moment ago'],
  ['cancel_hides_charge', 'reports a success that it takes back'],
  ['card_error_not_saved', 'finds a refusal once'],
];

async function check(duty: string, variant: Variant = (stripe) => stripe, lies: readonly Lie[] = []): Promise<void> {
  const shop = await openTwinShop({ lies: new Set(lies) });
  try {
    const { prepare, fence } = shop.stripe;
    if (prepare === undefined || fence === undefined) throw new Error('the adapter has neither');
    const work = DUTIES[duty];
    if (work === undefined) throw new Error(`there is no duty ${duty}`);
    await work(shop, variant({ ...shop.stripe, prepare, fence }, shop));
  } finally {
    await shop.close();
  }
}

type Change = (stripe: Processor) => Processor;
interface Unlike {
  readonly change?: Change;
  readonly lies?: readonly Lie[];
  /** The row of the suite of all processors that finds it, by words of its name. */
  readonly row: RegExp;
}
const told =
  (change: (outcome: Outcome) => Outcome): Change =>
  (stripe) => ({ ...stripe, perform: async (request, call) => change(await stripe.perform(request, call)) });

/** What the suite of all processors finds, and the stub cannot be: it has none of these traits. */
const UNLIKE: { readonly [variant: string]: Unlike } = {
  'takes a lock for a refusal': {
    change: told((outcome) =>
      outcome.kind === 'unknown' && outcome.detail.includes('lock_timeout')
        ? { kind: 'declined', code: 'GENERIC_DECLINE', declineType: 'SOFT' }
        : outcome,
    ),
    row: /grades .* busy/,
  },
  'is at a server that knows no keys': { lies: ['key_ignored'], row: /its server gets the request twice/ },
  'reads notifications of the other mode': {
    change: (stripe) => ({
      ...stripe,
      notifications(raw, headers, connection, now) {
        const found = stripe.notifications(raw, headers, connection, now);
        return raw.includes('"livemode":true') ? (stripe.reread(raw) ?? found) : found;
      },
    }),
    row: /no notification of the other mode/,
  },
  'takes a refusal for final': {
    change: told((outcome) => {
      if (outcome.kind !== 'declined') return outcome;
      const { fence: _owed, ...final } = outcome;
      return final;
    }),
    row: /a refusal owes a fence/,
  },
  'fences a refusal by a read': {
    change: (stripe) => ({
      ...stripe,
      async fence(request, call) {
        const found = await stripe.lookUp(request, call);
        if (found.kind !== 'declined') return found;
        const { fence: _owed, ...final } = found;
        return final;
      },
    }),
    row: /a refusal final by a fence/,
  },
  'takes a customer who has to act for one who has paid': {
    change: told((outcome) =>
      outcome.kind === 'requires_action'
        ? { ...outcome, kind: 'succeeded', amount: 1_000, currencyCode: 'EUR' }
        : outcome,
    ),
    row: /sends the customer to the issuer/,
  },
  'fences a customer action by a read': {
    change: (stripe) => ({ ...stripe, fence: (request, call) => stripe.lookUp(request, call) }),
    row: /no customer act after a fence/,
  },
};

type Items = readonly ProcessorNotification[];
/** Other notifications than those of the body. */
const heard =
  (change: (items: Items) => Items): Change =>
  (stripe) => ({
    ...stripe,
    notifications(raw, headers, connection, now) {
      const items = stripe.notifications(raw, headers, connection, now);
      return typeof items === 'string' ? items : change(items);
    },
    reread(raw) {
      const items = stripe.reread(raw);
      return items && change(items);
    },
  });
let heardSoFar = 0;

/** The rows about what Stripe keeps for a customer. */
const OF_SAVED: { readonly [variant: string]: Unlike } = {
  'charges a saved card without saying what for': {
    change: (stripe) => ({
      ...stripe,
      prepare: async ({ agreement: _kind, paymentType: _type, ...request }, call) =>
        (await stripe.prepare?.(request, call)) ?? { kind: 'unknown', detail: 'it prepares nothing' },
    }),
    row: /what a later use of a saved card is for/,
  },
  'takes instalments for a subscription': {
    change: (stripe) => ({
      ...stripe,
      prepare: async (request, call) => {
        const { agreement } = request;
        const other = agreement === undefined ? {} : { agreement: { ...agreement, kind: 'RECURRING' as const } };
        const prepared = await stripe.prepare?.({ ...request, ...other }, call);
        return prepared ?? { kind: 'unknown', detail: 'it prepares nothing' };
      },
    }),
    row: /what a later use of a saved card is for/,
  },
  'takes the word of an updater for one about any card': {
    change: heard((items) =>
      items.map((item) =>
        'subject' in item || 'mandate' in item.about
          ? item
          : { ...item, about: { ...item.about, processorToken: 'pm_any' } },
      ),
    ),
    row: /what an updater says/,
  },
  'reports the word of an updater again each time that it comes': {
    change: heard((items) =>
      items.map((item) => {
        heardSoFar += 1;
        return 'subject' in item ? item : { ...item, notificationId: `${item.notificationId}${heardSoFar}` };
      }),
    ),
    row: /what an updater says/,
  },
  'takes a new expiry for the end of the card': {
    change: heard((items) =>
      items.map((item) =>
        'subject' in item || 'mandate' in item.about
          ? item
          : { ...item, about: { instrument: 'closed', processorToken: item.about.processorToken } },
      ),
    ),
    row: /what an updater says/,
  },
  'hears nothing of mandates': {
    change: heard((items) => items.filter((item) => !('mandate' in item.about))),
    row: /mandate of a saved method was withdrawn/,
  },
};

const fails = (checked: Promise<void>): Promise<boolean> =>
  checked.then(
    () => false,
    (error: unknown) => {
      if (error instanceof AssertionError) return true;
      throw error;
    },
  );

describe('the Stripe adapter fulfils its duties: it', () => {
  for (const duty of Object.keys(DUTIES)) it(duty, () => check(duty));
});

describe('a broken Stripe adapter is found that', () => {
  for (const [name, [variant, duty]] of Object.entries(BROKEN))
    it(name, async () => expect(await fails(check(duty, variant)), duty).to.equal(true));
});

describe('the suite of all processors finds an adapter of Stripe that', () => {
  for (const [name, { change, lies, row }] of Object.entries({ ...UNLIKE, ...OF_SAVED }))
    it(name, async () => {
      const rows = rowsFor(TRAITS).filter((one) => row.test(one.name));
      expect(rows).to.have.length(1);
      expect(await failed(rows, stripeOnTrial(change, lies))).to.deep.equal(rows.map((one) => one.name));
    });
});

describe('a Stripe that does otherwise than it says is found', () => {
  for (const [lie, duty] of LYING)
    it(lie, async () => expect(await fails(check(duty, undefined, [lie])), duty).to.equal(true));
});
