// The calls of a checkout and of a merchant's backend, with the parts of their answers that tests of races and crashes
// look at.
import { z } from 'zod';
import { paymentIdOfReference } from '../../src/domain/payment/reference.ts';
import { pause } from './calm-world.ts';
import type { Answer, Client } from './load-client.ts';
import { card } from './node.ts';

const Session = z.looseObject({ clientToken: z.string() });
const Token = z.looseObject({ token: z.string() });
const Payment = z.looseObject({
  id: z.string(),
  status: z.string(),
  version: z.int(),
  amount: z.int(),
  processor: z.looseObject({
    amountAuthorized: z.int().default(0),
    amountCaptured: z.int().default(0),
    amountRefunded: z.int().default(0),
    amountRefundable: z.int().default(0),
  }),
});
export type Payment = z.output<typeof Payment>;
const Failure = z.looseObject({ error: z.looseObject({ errorId: z.string(), paymentId: z.string().optional() }) });
const Ledger = z.object({
  data: z.array(
    z.object({
      reference: z.string(),
      operation: z.string(),
      amount: z.int(),
      currencyCode: z.string(),
      outcome: z.enum(['succeeded', 'declined', 'pending']),
    }),
  ),
});
export type LedgerLine = z.output<typeof Ledger>['data'][number];
const Instrument = z.looseObject({
  token: z.string(),
  tokenType: z.string(),
  default: z.boolean(),
  deleted: z.boolean(),
});
export type Instrument = z.output<typeof Instrument>;

/** The answer, which must be a 200; throws with its text otherwise. */
export function ok(answer: Answer): Answer {
  if (answer.status !== 200) throw new Error(`${answer.status}: ${answer.text}`);
  return answer;
}

/** Repeats a call until it is not 503: on a slow machine a store may miss its deadline. */
export async function served(ask: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await ask();
    if (answer.status !== 503) return answer;
    await pause(100);
  }
}

export const paymentIn = ({ body }: Answer): Payment => Payment.parse(body);
export const instrumentIn = ({ body }: Answer): Instrument => Instrument.parse(body);
export const failureIn = ({ body }: Answer): z.output<typeof Failure>['error'] => Failure.parse(body).error;
/** Status and error id, as in `409 Conflict`; for a success the status alone. */
export const verdictOf = (answer: Answer): string =>
  answer.status < 400 ? String(answer.status) : `${answer.status} ${failureIn(answer).errorId}`;

/** How often each verdict came. */
export function tally(answers: readonly Answer[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const answer of answers) counts[verdictOf(answer)] = (counts[verdictOf(answer)] ?? 0) + 1;
  return counts;
}

/** `through`: `served`, where a slow store is not what the test is about. */
export const createSession = async (
  client: Client,
  fields: object = {},
  through: typeof served = (ask) => ask(),
): Promise<string> => {
  const body = { orderId: 'o-1', currencyCode: 'EUR', amount: 1_000, ...fields };
  return Session.parse(ok(await through(() => client.call('POST', '/client-session', body))).body).clientToken;
};

export const tokenIn = ({ body }: Answer): string => Token.parse(body).token;
export const clientTokenIn = ({ body }: Answer): string => Session.parse(body).clientToken;

export const tokenize = async (client: Client, clientToken: string, number?: string): Promise<string> =>
  tokenIn(ok(await client.inCheckout(clientToken, 'POST', '/checkout/payment-instruments', card(number))));

/** The answer to a payment in a session of its own. `terms`: further members of the request. */
export async function pay(client: Client, fields: object = {}, number?: string, terms: object = {}): Promise<Answer> {
  const clientToken = await createSession(client, fields);
  const paymentMethodToken = await tokenize(client, clientToken, number);
  return client.call('POST', '/payments', { clientToken, paymentMethodToken, ...terms });
}

/** A payment that must be answered with 200. */
export const authorized = async (client: Client, fields: object = {}, number?: string): Promise<Payment> =>
  paymentIn(ok(await pay(client, fields, number)));

export const ledgerOf = async (client: Client): Promise<readonly LedgerLine[]> =>
  Ledger.parse(ok(await client.call('GET', '/sandbox/ledger')).body).data;

/** The ledger's lines of one payment. */
export const linesOf = (ledger: readonly LedgerLine[], paymentId: string): readonly LedgerLine[] =>
  ledger.filter(({ reference }) => paymentIdOfReference(reference) === paymentId);

/** The sum of the amounts of one operation, minor units. */
export const sumOf = (lines: readonly LedgerLine[], operation: string): number =>
  lines
    .filter((line) => line.operation === operation && line.outcome === 'succeeded')
    .reduce((sum, { amount }) => sum + amount, 0);
