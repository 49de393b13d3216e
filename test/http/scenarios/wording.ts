// Answers of the API in a word or two, as a scenario's table writes them.
import { z } from 'zod';
import type { Answer } from '../../support/http-request.ts';

const Reason = z.looseObject({ type: z.string(), code: z.string().optional() });
export const Payment = z.looseObject({
  id: z.string(),
  status: z.string(),
  statusReason: Reason.optional(),
  requiredAction: z.looseObject({ name: z.string(), url: z.url() }).optional(),
  paymentMethod: z.looseObject({ threeDSecureAuthentication: z.looseObject({ responseCode: z.string() }).optional() }),
  processor: z.looseObject({ amountAuthorized: z.int(), amountCaptured: z.int(), amountRefunded: z.int() }),
  disputes: z.array(z.looseObject({ id: z.string(), status: z.string() })).default([]),
  transactions: z.array(
    z.looseObject({ transactionType: z.string(), status: z.string(), statusReason: Reason.optional() }),
  ),
});
const Failure = z.object({ error: z.looseObject({ errorId: z.string(), statusReason: Reason.optional() }) });
export const Instrument = z.looseObject({ token: z.string(), tokenType: z.string() });
const Evidence = z.looseObject({ evidence: z.looseObject({ source: z.string() }).optional() });
export const History = z.looseObject({
  data: z.array(z.looseObject({ type: z.string(), data: Evidence })),
  nextCursor: z.undefined().optional(),
});
export const Ledger = z.looseObject({
  data: z.array(
    z.looseObject({
      reference: z.string(),
      operation: z.string(),
      amount: z.int(),
      currencyCode: z.string(),
      outcome: z.string(),
    }),
  ),
});

const reasonOf = (reason: z.output<typeof Reason> | undefined): string =>
  reason === undefined ? '' : ` ${reason.code ?? reason.type}`;

export function spoken({ status, body }: Answer): string {
  const failure = Failure.safeParse(body);
  if (failure.success) return `${status} ${failure.data.error.errorId}${reasonOf(failure.data.error.statusReason)}`;
  return `${status} ${paymentIn(Payment.parse(body))}`;
}

export function paymentIn({
  status,
  statusReason,
  requiredAction,
  paymentMethod,
  transactions,
  disputes,
}: z.output<typeof Payment>): string {
  const action = requiredAction === undefined ? '' : ` ${requiredAction.name}`;
  const { threeDSecureAuthentication: authentication } = paymentMethod;
  const told = authentication === undefined ? '' : ` ${authentication.responseCode}`;
  const refunds = transactions.filter(({ transactionType }) => transactionType === 'REFUND');
  return [
    `${status}${reasonOf(statusReason)}${action}${told}`,
    ...refunds.map((one) => `refund ${one.status}${reasonOf(one.statusReason)}`),
    ...disputes.map((one) => `dispute ${one.status}`),
  ].join(', ');
}

const UNITS: ReadonlyMap<string, number> = new Map([
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
]);
export function msIn(text: string): number {
  const unit = UNITS.get(text.slice(-1));
  if (unit === undefined) throw new Error(`no duration: ${text}`);
  return Number(text.slice(0, -1)) * unit;
}
