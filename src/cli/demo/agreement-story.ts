// The story of `demo --agreement`: a customer agrees to be charged later, a billing job charges three periods, a card
// is declined, and the job that runs twice is answered with the same payments.
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { formatTime, type World } from '../../world.ts';
import { Refused } from '../exit.ts';
import { tell } from '../output.ts';
import { APPROVED, authorizeIn, Payment, type ShopCalls } from './calls.ts';

/** Approved while its customer pays. Later INSUFFICIENT_FUNDS, and the network says: in an hour. */
const DECLINED_LATER = '5100099900005059';
/** What the customer of the demo agreed to; a shop keeps its text. */
const CONSENT_TEXT = 'I agree that the magazine is charged to my card, 19.00 EUR each month, until I cancel.';
/** So long ago that four monthly periods have begun. */
const BEGUN_MS = 100 * 86_400_000;
const PERIODS = ['month-1', 'month-2', 'month-3'];
const DECLINED_PERIOD = 'month-4';

const Made = z.object({ id: z.string() });
const Period = z.object({
  periodKey: z.string(),
  code: z.string().optional(),
  notBefore: z.string().optional(),
  because: z.string().optional(),
  retryAt: z.string().optional(),
});
const WithPeriods = z.object({ periods: z.array(Period).optional() });
const RefusedCharge = z.object({ error: z.object({ errorId: z.string(), paymentId: z.string() }) });

interface JobAnswer {
  readonly periodKey: string;
  readonly paymentId: string;
  /** The payment's, or the id of the refusal. */
  readonly status: string;
}

export interface AgreementStory {
  readonly agreementId: string;
  readonly customerId: string;
  /** What the job was answered, and its second run. */
  readonly charges: readonly JobAnswer[];
  readonly again: readonly JobAnswer[];
  /** The declined period, with the planned try. */
  readonly declined: z.infer<typeof Period>;
}

/** Throws Refused if an answer is not as it has to be. */
export async function agreementStory(calls: ShopCalls, world: World): Promise<AgreementStory> {
  const customerId = `demo-${Buffer.from(world.randomBytes(4)).toString('hex')}`;
  tell('1. The customer pays, the card is saved, and the consent is put on record.');
  const first = await customerPays(calls, customerId, APPROVED);
  const now = world.now();
  const made = await calls.call('POST', '/agreements', {
    paymentId: first,
    kind: 'RECURRING',
    terms: {
      amountRule: 'EXACT',
      amount: 1_900,
      currencyCode: 'EUR',
      frequency: 'MONTH',
      startsAt: formatTime(now - BEGUN_MS),
      description: 'The magazine, each month',
    },
    consent: {
      acceptedAt: formatTime(now - BEGUN_MS),
      channel: 'ONLINE',
      textDigest: createHash('sha256').update(CONSENT_TEXT).digest('hex'),
    },
    retry: { policy: 'ADVISED' },
  });
  const agreementId = Made.parse(made.body).id;

  tell('\n2. The billing job charges three periods, without the customer.');
  const charges = await billingJob(calls, agreementId, { run: 'first', periods: PERIODS });

  tell('\n3. The customer pays with another card, whose next charge is declined.');
  const second = await customerPays(calls, customerId, DECLINED_LATER);
  await calls.call('POST', `/agreements/${agreementId}/instrument`, { paymentId: second });
  const refused = await billingJob(calls, agreementId, { run: 'first', periods: [DECLINED_PERIOD] });
  const declined = await calls.until(`/agreements/${agreementId}`, plannedIn, {
    withinMs: 60_000,
    words: 'No next try was planned',
  });

  tell('\n4. The job runs again, under other keys: it gets the same payments.');
  const again = await billingJob(calls, agreementId, { run: 'second', periods: [...PERIODS, DECLINED_PERIOD] });
  const story = { agreementId, customerId, charges: [...charges, ...refused], again, declined };
  for (const [place, { paymentId, status }] of story.charges.entries()) {
    if (again[place]?.paymentId !== paymentId) throw new Refused('The second run made a payment of its own.');
    const expected = place < PERIODS.length ? 'SETTLED' : 'DECLINED';
    if (status !== expected) throw new Refused(`Expected ${expected}, got ${status}.`);
  }
  return story;
}

async function customerPays(calls: ShopCalls, customerId: string, card: string): Promise<string> {
  const session = {
    orderId: `${customerId}-${card.slice(-4)}`,
    currencyCode: 'EUR',
    amount: 1_900,
    customerId,
    paymentMethod: { vaultOnSuccess: true, paymentType: 'FIRST_PAYMENT' },
  };
  const { body } = await authorizeIn(calls, session, card);
  const { id, status } = Payment.parse(body);
  if (status !== 'AUTHORIZED') throw new Refused(`Expected AUTHORIZED, got ${status}.`);
  return id;
}

/** Charges each period; a period that must wait is answered with a 409 that names its payment. */
async function billingJob(
  calls: ShopCalls,
  agreementId: string,
  { run, periods }: { readonly run: string; readonly periods: readonly string[] },
): Promise<readonly JobAnswer[]> {
  const charged: JobAnswer[] = [];
  for (const periodKey of periods) {
    const asked = { periodKey, orderId: `magazine-${periodKey}` };
    const idempotencyKey = `${agreementId}-${run}-${periodKey}`;
    const path = `/agreements/${agreementId}/charges`;
    const { status, body } = await calls.call('POST', path, asked, { idempotencyKey, mayBe: 409 });
    if (status === 409) {
      const { errorId, paymentId } = RefusedCharge.parse(body).error;
      charged.push({ periodKey, paymentId, status: errorId });
    } else {
      const payment = Payment.parse(body);
      charged.push({ periodKey, paymentId: payment.id, status: payment.status });
    }
  }
  return charged;
}

const plannedIn = (answer: unknown): z.infer<typeof Period> | undefined =>
  WithPeriods.parse(answer).periods?.find(({ retryAt }) => retryAt !== undefined);
