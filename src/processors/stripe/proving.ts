// What the fences rely on at Stripe, tried with test money: a run of steps that a person starts, each with what it saw.
import { z } from 'zod';
import type { Call, ProofStep } from '../processor.ts';
import type { Api, FormFields, StripeAnswer } from './api.ts';
import { confirmationOf, creationOf, EXPANDED, INTENTS } from './authorizing.ts';
import { burnOf, ENDING } from './fencing.ts';
import { questionOf } from './following.ts';
import { modeOf } from './keys.ts';
import { REFUNDS, refundOf } from './refunding.ts';

const StripeObject = z.record(z.string(), z.unknown());
type StripeObject = z.infer<typeof StripeObject>;
const Text = z.string();
const Metadata = z.record(z.string(), z.string());
const Charged = z.object({ status: z.string() });
const Listed = z.object({ data: z.array(z.object({ id: z.string() })) });

/** A response, as far as steps read it. `why`: type and code of an error. */
interface Seen {
  readonly status: number;
  readonly body: StripeObject;
  readonly why: string;
}

/** The requests of one step. */
interface Bench {
  post(path: string, form: FormFields, key?: string): Promise<Seen>;
  get(path: string, form?: FormFields): Promise<Seen>;
  /** A key that nobody has used. */
  key(): string;
}

interface Trial {
  readonly name: string;
  /** What was seen, in a sentence. Throws Unexpected otherwise. */
  readonly tries: (bench: Bench) => Promise<string>;
}

class Unexpected extends Error {}
function must(isSo: boolean, otherwise: string): asserts isSo {
  if (!isSo) throw new Unexpected(otherwise);
}

const idOf = ({ body }: Seen): string => Text.catch('none').parse(body['id']);
const stateOf = ({ body }: Seen): string => Text.catch('none').parse(body['status']);
const said = ({ status, why, body }: Seen): string =>
  why === '' ? `${status} ${stateOf({ status, why, body })}` : why;

/** As the adapter sends it, under names by which no notification is about a payment of ours. */
const unnamed = (form: FormFields): FormFields =>
  form.map(([name, value]) => [name.replace('[counterfoil_', '[script_'), value] as const);
const creation = (amount: number, currencyCode: string): FormFields =>
  unnamed(
    creationOf({ reference: 'check', paymentId: 'check', processorToken: '', currencyCode, isEstimated: true }, amount),
  );

async function intent(bench: Bench, amount = 1_000, currency = 'eur'): Promise<string> {
  const made = await bench.post(INTENTS, creation(amount, currency));
  must(made.status === 200, `a PaymentIntent cannot be made: ${said(made)}`);
  return idOf(made);
}
const read = (bench: Bench, id: string): Promise<Seen> => bench.get(`${INTENTS}/${id}`, [EXPANDED]);
const burn = (bench: Bench, id: string, key: string): Promise<Seen> => bench.post(`${INTENTS}/${id}`, burnOf(key), key);
const cancel = (bench: Bench, id: string): Promise<Seen> => bench.post(`${INTENTS}/${id}/cancel`, ENDING);
const confirm = (bench: Bench, id: string, key = bench.key(), card = 'pm_card_visa'): Promise<Seen> =>
  bench.post(
    `${INTENTS}/${id}/confirm`,
    confirmationOf({ processorToken: card, returnUrl: 'https://example.com/back' }),
    key,
  );

/** Confirmed, and held. */
async function held(bench: Bench, amount?: number): Promise<string> {
  const id = await intent(bench, amount);
  const confirmed = await confirm(bench, id);
  must(stateOf(confirmed) === 'requires_capture', `a confirmation is not held: ${said(confirmed)}`);
  return id;
}

async function captured(bench: Bench): Promise<string> {
  const id = await held(bench);
  const done = await change(bench, 'capture', id, bench.key());
  must(stateOf(done) === 'succeeded', `a capture is answered ${said(done)}`);
  return id;
}

/** A request that follows the authorization, under the key. */
function change(
  bench: Bench,
  operation: 'capture' | 'adjustment',
  id: string,
  key: string,
  amount = operation === 'capture' ? 1_000 : 1_500,
  final = true,
): Promise<Seen> {
  const reference = key.slice(-LONGEST_NAME);
  const about = { reference, accountId: '', paymentId: '', amount, currencyCode: 'EUR', requestedAt: 0 };
  const authorization = { processorTransactionId: id };
  const request =
    operation === 'capture' ? { ...about, operation, authorization, final } : { ...about, operation, authorization };
  const { path, form = [] } = questionOf(request, id, amount);
  return bench.post(path, form, key);
}

const refund = (bench: Bench, id: string, key: string): Promise<Seen> =>
  bench.post(REFUNDS, unnamed(refundOf('check', { name: id, amount: 400 })), key);

/** The longest name in the metadata, in characters. */
const LONGEST_NAME = 40;

interface Followed {
  readonly what: string;
  readonly ready: (bench: Bench) => Promise<string>;
  readonly does: (bench: Bench, id: string, key: string) => Promise<Seen>;
  /** The account may not have it: then its key is never used. */
  readonly isOptional?: true;
}
const FOLLOWED: readonly Followed[] = [
  { what: 'a capture', ready: held, does: (bench, id, key) => change(bench, 'capture', id, key) },
  { what: 'a refund', ready: captured, does: refund },
  {
    what: 'an increment',
    ready: held,
    does: (bench, id, key) => change(bench, 'adjustment', id, key),
    isOptional: true,
  },
];

/** A capture of a part that keeps the rest held; undefined where the account, or the card, does not allow that. */
async function partlyCaptured(bench: Bench): Promise<{ readonly id: string } | { readonly refused: Seen }> {
  const id = await held(bench);
  const part = await change(bench, 'capture', id, bench.key(), PART, false);
  if (part.status === 400) return { refused: part };
  must(stateOf(part) === 'requires_capture', `the capture of a part is answered ${said(part)}`);
  return { id };
}
const PART = 400;
const Received = z.int();
const Multicapture = z.object({
  payment_method_details: z.object({ card: z.object({ multicapture: z.object({ status: z.string() }) }) }),
});

/** A bank account of Stripe's test mode; its debits stay `processing` for minutes at least. */
const ACCOUNT: FormFields = [
  ['payment_method_data[type]', 'sepa_debit'],
  ['payment_method_data[sepa_debit][iban]', 'AT321904300235473204'],
  ['payment_method_data[billing_details][name]', 'check'],
  ['payment_method_data[billing_details][email]', 'check@example.com'],
];
/** What Stripe's fields say for a customer who typed the account in. */
const MANDATE: FormFields = [['mandate_data[customer_acceptance][type]', 'offline']];

interface Debited {
  readonly customer: string;
  readonly confirmed: Seen;
}

/** A debit of an account that is kept, as it was first confirmed; the refusal of an account that has no debits. */
async function keptDebit(bench: Bench): Promise<Debited | { readonly refused: Seen }> {
  const customer = idOf(await bench.post('/v1/customers', [['metadata[script_payment]', 'check']]));
  const made = await bench.post(INTENTS, debitOf(customer, [['setup_future_usage', 'off_session']]));
  if (made.status === 400) return { refused: made };
  must(made.status === 200, `a debit cannot be made: ${said(made)}`);
  const entered = [['setup_future_usage', 'off_session'] as const, ...ACCOUNT];
  const token = await bench.post('/v1/test_helpers/confirmation_tokens', entered);
  must(token.status === 200, `a confirmation token is answered ${said(token)}`);
  const form = confirmationOf({ processorToken: idOf(token), returnUrl: 'https://example.com/back' });
  const confirmed = await bench.post(`${INTENTS}/${idOf(made)}/confirm`, [...form, ...MANDATE], bench.key());
  must(confirmed.status === 200, `the first debit is answered ${said(confirmed)}`);
  return { customer, confirmed };
}

const debitOf = (customer: string, more: FormFields = []): FormFields => [
  ...unnamed(
    creationOf(
      {
        reference: 'check',
        paymentId: 'check',
        processorToken: '',
        currencyCode: 'eur',
        paymentMethodType: 'SEPA_DEBIT',
      },
      1_000,
    ),
  ),
  ['customer', customer],
  ...more,
];

const notPossible = (refused: Seen): string => `not possible here: ${said(refused)}`;

const isRefusedKey = ({ status, why }: Seen): boolean => status === 400 && why.startsWith('idempotency_error');

/** Both orders of an operation and of the burn of its key. */
const bothOrders = ({ what, ready, does, isOptional }: Followed): readonly Trial[] => [
  {
    name: `a burnt key refuses ${what}`,
    async tries(bench) {
      const [id, key] = [await ready(bench), bench.key()];
      const burnt = await burn(bench, id, key);
      must(burnt.status === 200, `the burn is answered ${said(burnt)}`);
      const late = await does(bench, id, key);
      must(isRefusedKey(late), `the late request is answered ${said(late)}`);
      return said(late);
    },
  },
  {
    name: `the used key of ${what} refuses a burn`,
    async tries(bench) {
      const [id, key] = [await ready(bench), bench.key()];
      const done = await does(bench, id, key);
      if (isOptional && done.status === 400 && !isRefusedKey(done)) return notPossible(done);
      must(done.status === 200, `the request is answered ${said(done)}`);
      const burnt = await burn(bench, id, key);
      must(isRefusedKey(burnt), `the burn is answered ${said(burnt)}`);
      return said(burnt);
    },
  },
];

/** How often the confirmation is raced. */
const RACES = 5;

const TRIED: readonly Trial[] = [
  {
    name: 'a used key refuses a burn',
    async tries(bench) {
      const [id, key] = [await intent(bench), bench.key()];
      must(stateOf(await confirm(bench, id, key)) === 'requires_capture', 'the confirmation is not held');
      const burnt = await burn(bench, id, key);
      must(isRefusedKey(burnt), `the burn is answered ${said(burnt)}`);
      return said(burnt);
    },
  },
  {
    name: 'a burnt key refuses the confirmation',
    async tries(bench) {
      const [id, key] = [await intent(bench), bench.key()];
      const burnt = await burn(bench, id, key);
      must(burnt.status === 200, `the burn is answered ${said(burnt)}`);
      const late = await confirm(bench, id, key);
      must(isRefusedKey(late), `the confirmation is ${said(late)}`);
      const after = stateOf(await read(bench, id));
      must(after === 'requires_payment_method', `the PaymentIntent is ${after}`);
      return said(late);
    },
  },
  ...FOLLOWED.flatMap(bothOrders),
  {
    name: 'a note is taken in every state',
    async tries(bench) {
      const declined = await intent(bench);
      await confirm(bench, declined, bench.key(), 'pm_card_chargeDeclined');
      const waiting = await intent(bench);
      await confirm(bench, waiting, bench.key(), 'pm_card_threeDSecure2Required');
      const canceled = await intent(bench);
      await cancel(bench, canceled);
      const states: string[] = [];
      for (const id of [await intent(bench), declined, waiting, await held(bench), await captured(bench), canceled]) {
        const burnt = await burn(bench, id, bench.key());
        must(burnt.status === 200, `in state ${stateOf(await read(bench, id))} the burn is answered ${said(burnt)}`);
        states.push(stateOf(burnt));
      }
      return states.join(', ');
    },
  },
  {
    name: 'a note is taken while a debit is processed',
    async tries(bench) {
      const debit = await keptDebit(bench);
      if ('refused' in debit) return notPossible(debit.refused);
      const id = idOf(debit.confirmed);
      const burnt = await burn(bench, id, bench.key());
      must(burnt.status === 200, `in state ${stateOf(await read(bench, id))} the burn is answered ${said(burnt)}`);
      must(stateOf(burnt) === 'processing', `the debit is ${stateOf(burnt)}`);
      return stateOf(burnt);
    },
  },
  {
    name: 'a saved debit is charged with its customer present',
    async tries(bench) {
      const debit = await keptDebit(bench);
      if ('refused' in debit) return notPossible(debit.refused);
      const { customer, confirmed } = debit;
      const method = Text.catch('none').parse(confirmed.body['payment_method']);
      const again = await bench.post(INTENTS, debitOf(customer));
      must(again.status === 200, `the second debit cannot be made: ${said(again)}`);
      const processorToken = `${customer}/${method}`;
      const form = confirmationOf({ processorToken, returnUrl: 'https://example.com/back' });
      const charged = await bench.post(`${INTENTS}/${idOf(again)}/confirm`, form, bench.key());
      must(stateOf(charged) === 'processing', `the second debit is answered ${said(charged)}`);
      return stateOf(charged);
    },
  },
  {
    name: 'several captures may be asked for on every account',
    async tries(bench) {
      const id = await held(bench);
      const charge = Multicapture.safeParse((await read(bench, id)).body['latest_charge']).data;
      const status = charge?.payment_method_details.card.multicapture.status ?? 'not told';
      const part = await change(bench, 'capture', id, bench.key(), PART, false);
      const isTaken = stateOf(part) === 'requires_capture';
      must(isTaken === (status === 'available'), `the charge says ${status}, and a part is answered ${said(part)}`);
      must(isTaken || part.status === 400, `a part is answered ${said(part)}`);
      return `${status}; a part: ${said(part)}`;
    },
  },
  {
    name: 'a void after a partial capture keeps what was captured',
    async tries(bench) {
      const partly = await partlyCaptured(bench);
      if ('refused' in partly) return notPossible(partly.refused);
      const canceled = await cancel(bench, partly.id);
      must(canceled.status === 200, `the cancellation is answered ${said(canceled)}`);
      const after = await read(bench, partly.id);
      const [received, capturable] = ['amount_received', 'amount_capturable'].map((name) =>
        Received.catch(-1).parse(after.body[name]),
      );
      must(received === PART && capturable === 0, `${received} is received, and ${capturable} can be captured`);
      return `${stateOf(after)}, ${PART} received`;
    },
  },
  {
    name: 'a confirmation after the cancellation does nothing',
    async tries(bench) {
      const id = await intent(bench);
      const canceled = await cancel(bench, id);
      must(stateOf(canceled) === 'canceled', `the cancellation is answered ${said(canceled)}`);
      const late = await confirm(bench, id);
      must(late.status === 400, `the confirmation is answered ${said(late)}`);
      must(stateOf(await read(bench, id)) === 'canceled', 'the PaymentIntent is no longer canceled');
      return said(late);
    },
  },
  {
    name: 'a cancellation shows the charge that it released',
    async tries(bench) {
      const canceled = await cancel(bench, await held(bench));
      const charge = Charged.safeParse(canceled.body['latest_charge']).data?.status;
      must(stateOf(canceled) === 'canceled' && charge === 'succeeded', `${said(canceled)}, its charge ${charge}`);
      return `canceled, its charge ${charge}`;
    },
  },
  {
    name: 'a refused capture leaves no note',
    async tries(bench) {
      const [id, key] = [await held(bench), bench.key()];
      const refused = await change(bench, 'capture', id, key, 2_000);
      must(refused.status === 400, `the capture is answered ${said(refused)}`);
      const after = await read(bench, id);
      const notes = Object.keys(Metadata.catch({}).parse(after.body['metadata']));
      must(stateOf(after) === 'requires_capture', `the PaymentIntent is ${stateOf(after)}`);
      must(!notes.includes(key.slice(-LONGEST_NAME)), 'the PaymentIntent has the note of the capture');
      return said(refused);
    },
  },
  {
    name: 'a decline is final after the cancellation',
    async tries(bench) {
      const [open, ended] = [await intent(bench), await intent(bench)];
      for (const id of [open, ended]) {
        const declined = await confirm(bench, id, bench.key(), 'pm_card_chargeDeclined');
        must(declined.status === 402, `the confirmation is answered ${said(declined)}`);
      }
      const again = await confirm(bench, open);
      must(stateOf(await cancel(bench, ended)) === 'canceled', 'the declined PaymentIntent is not canceled');
      const late = await confirm(bench, ended);
      must(late.status === 400, `after the cancellation the confirmation is answered ${said(late)}`);
      return `before: ${said(again)}; after: ${said(late)}`;
    },
  },
  {
    name: 'a read during a confirmation, and a burn of its key',
    async tries(bench) {
      const seen: string[] = [];
      for (let race = 0; race < RACES; race += 1) {
        const [id, key] = [await intent(bench), bench.key()];
        const [confirmed, meanwhile, burnt] = await Promise.all([
          confirm(bench, id, key),
          read(bench, id),
          burn(bench, id, key),
        ]);
        const after = stateOf(await read(bench, id));
        const isHeld = after === 'requires_capture';
        must(!(confirmed.status === 200 && burnt.status === 200), 'the key did both: the confirmation, and the burn');
        must(confirmed.status !== 200 || isHeld, `confirmed, and the next read says ${after}`);
        must(burnt.status !== 200 || !isHeld, 'the key is burnt, and the amount is held');
        seen.push(`${stateOf(meanwhile)} then ${after}`);
      }
      return seen.join('; ');
    },
  },
  {
    name: 'ISK has two decimals that are 00',
    async tries(bench) {
      await intent(bench, 100_000, 'isk');
      const odd = await bench.post(INTENTS, creation(100_050, 'isk'));
      must(odd.status === 400, `an amount of ISK that ends in 50 is answered ${said(odd)}`);
      return `100000: taken; 100050: ${said(odd)}`;
    },
  },
  {
    name: 'a refund is listed at once',
    async tries(bench) {
      const id = await captured(bench);
      const refunded = await refund(bench, id, bench.key());
      must(refunded.status === 200, `the refund is answered ${said(refunded)}`);
      const list = await bench.get(REFUNDS, [['payment_intent', id]]);
      const ids = Listed.safeParse(list.body).data?.data.map((one) => one.id) ?? [];
      must(ids.includes(idOf(refunded)), 'the list right after it does not have the refund');
      return `listed, ${stateOf(refunded)}`;
    },
  },
];

/** What no program can do: a customer's browser, another day, Stripe's own dashboard. */
const BY_HAND: readonly (readonly [name: string, todo: string])[] = [
  ['3-D Secure in a browser', 'Pay with 4000 0000 0000 3220 in the demo shop: approve once, fail once.'],
  [
    'a decline that a page confirms again',
    'Fail 3-D Secure, and confirm in another tab with the client secret of the address: nothing stays held.',
  ],
  ['a key after a day', 'Confirm a canceled PaymentIntent with its first key after 25 hours: it is refused.'],
  [
    'the order of events',
    "Compare the times in Stripe's list of webhooks with `counterfoil notifications`: order by neither.",
  ],
];

/** The steps as they end. `run`: unique, the beginning of every key. Never throws for faults of a network. */
export async function* prove(api: Api, call: Call, run: string): AsyncIterable<ProofStep> {
  if (modeOf(call.connection) !== 'test') {
    yield { name: 'mode', value: 'The run moves money: it needs a key of test mode.', result: 'failed', exchanges: [] };
    return;
  }
  let keys = 0;
  for (const { name, tries } of TRIED) {
    const exchanges: object[] = [];
    const ask = async (method: 'GET' | 'POST', path: string, form: FormFields, key?: string): Promise<Seen> => {
      const told = await api.ask({ method, path, form, shape: StripeObject, ...(key !== undefined && { key }) }, call);
      const seen = seenIn(told);
      const request = { request: `${method} ${path}`, ...(key !== undefined && { key }), form: shownForm(form) };
      exchanges.push({
        ...request,
        status: seen.status,
        ...(seen.why !== '' && { error: seen.why }),
        body: redacted(seen.body),
      });
      must(seen.status !== 0, seen.why);
      return seen;
    };
    const bench: Bench = {
      post: (path, form, key) => ask('POST', path, form, key),
      get: (path, form = []) => ask('GET', path, form),
      key() {
        keys += 1;
        return `${run}-${keys}`;
      },
    };
    yield await tries(bench).then(
      (value): ProofStep => ({ name, value, result: 'passed', exchanges }),
      (fault: unknown): ProofStep => {
        if (!(fault instanceof Unexpected)) throw fault;
        return { name, value: fault.message, result: 'failed', exchanges };
      },
    );
  }
  for (const [name, value] of BY_HAND) yield { name, value, result: 'person', exchanges: [] };
}

/** Status 0 for what is not a whole answer of Stripe. */
function seenIn(told: StripeAnswer<StripeObject>): Seen {
  if (told.kind === 'told') return { status: 200, body: told.value, why: '' };
  if (told.kind !== 'error') return { status: 0, body: {}, why: told.detail };
  const { type, code, decline_code: declineCode } = told.error;
  const why = [type, code, declineCode].filter((word) => word != null).join(', ');
  return { status: told.status, body: {}, why };
}

/** Without client secrets: their members, and addresses that have one in their query. */
const redacted = (body: StripeObject): StripeObject =>
  StripeObject.parse(
    JSON.parse(
      JSON.stringify(body, (name, value: unknown) => {
        if (name === 'client_secret') return '[redacted]';
        return typeof value === 'string' ? value.replaceAll(/_secret_\w+/g, '_secret_[redacted]') : value;
      }),
    ),
  );

const shownForm = (form: FormFields): object =>
  Object.fromEntries(form.filter(([, value]) => value !== undefined).map(([name, value]) => [name, String(value)]));
