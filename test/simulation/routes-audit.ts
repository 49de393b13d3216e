// Choices of connections in the log: another one is asked by proof alone, and money moves at the connection on record.
import type { Attempt } from '../../src/domain/payment/attempt.ts';
import type { KnownPayment, Payment } from '../../src/domain/payment/payment.ts';
import { isKnown } from '../../src/domain/payment/queries.ts';
import { declineTypeOf } from '../../src/processors/sandbox/card.ts';
import type { LedgerLine } from '../../src/processors/sandbox/sandbox-interface.ts';
import type { StoredEvent } from '../../src/stores/event-store.ts';
import { SANDBOXES } from './routes.ts';

/** What the routes of a world were: without any of them a world tests nothing. */
export interface RouteCounts {
  readonly choices: number;
  readonly fallbacks: number;
  /** Connections that were skipped. */
  readonly skips: number;
}

export function countRoutes(
  counts: { -readonly [K in keyof RouteCounts]: number },
  { type }: StoredEvent,
  data: object,
): void {
  if (followed(data).because === 'fallback') counts.fallbacks += 1;
  if (type !== 'RouteChosen') return;
  counts.choices += 1;
  if ('skipped' in data && Array.isArray(data.skipped)) counts.skips += data.skipped.length;
}

/** `before`: the payment that the event was appended to, in which the first authorization has ended already. */
export function wrongFallback(
  { stream, revision, type }: StoredEvent,
  before: object | undefined,
  data: object,
): readonly string[] {
  if (type !== 'AuthorizationRequested' || before === undefined || !isPayment(before)) return [];
  const what = `${type} in ${stream}@${revision}`;
  const { because, attemptId } = followed(data);
  if (because !== 'fallback') return [];
  const authorizations = before.attempts.filter(({ operation }) => operation === 'authorization');
  const first = authorizations.find((one) => one.attemptId === attemptId);
  const { fallback } = before.route ?? {};
  if (first === undefined || fallback === undefined) return [`${what} falls back from nothing`];
  const wrong = wrongEnd(first, fallback.never);
  const connectionId = 'connectionId' in data ? data.connectionId : undefined;
  return [
    ...(wrong === undefined ? [] : [`${what} asks another connection after ${wrong}`]),
    ...(authorizations.some((one) => one.connectionId === connectionId) ? [`${what} asks a connection again`] : []),
    ...(authorizations.length >= fallback.mostAttempts ? [`${what} asks one connection too many`] : []),
    ...(authorizations.some(({ state }) => state !== 'not_sent' && state !== 'declined')
      ? [`${what} asks another connection while one has not ended`]
      : []),
  ];
}

/** What the end of the attempt is if nothing may follow it. Only the sandbox's own table says which code is final. */
function wrongEnd(attempt: Attempt, never: readonly string[]): string | undefined {
  const { state, events } = attempt;
  if (state === 'not_sent') return undefined;
  if (state !== 'declined') return `an authorization that is ${state}`;
  const { code } = attempt;
  if (declineTypeOf(code) === 'HARD') return `the final decline ${code}`;
  if (never.includes(code) || code === 'AUTHENTICATION_REQUIRED') return `${code}, after which none may be asked`;
  const evidence = events.at(-1)?.evidence;
  return evidence === 'answer' ? undefined : `the evidence of a ${evidence}`;
}

const isPayment = (state: object): state is KnownPayment => 'attempts' in state; // the payment's own decider folded it

function followed(data: object): { readonly because?: unknown; readonly attemptId?: unknown } {
  const follows = 'follows' in data ? data.follows : undefined;
  return typeof follows === 'object' && follows !== null ? follows : {};
}

/** Each line of the two ledgers is at the connection of its attempt. */
export function auditRoutes(
  ledger: readonly LedgerLine[],
  inSecond: ReadonlySet<string>,
  payments: ReadonlyMap<string, Payment>,
): readonly string[] {
  const [first, second] = SANDBOXES;
  const books = new Map(ledger.map(({ reference }) => [reference, inSecond.has(reference) ? second : first]));
  return [...payments.values()].flatMap((payment) =>
    isKnown(payment)
      ? payment.attempts.flatMap(({ attemptId, reference, connectionId }) => {
          const book = books.get(reference);
          return book === undefined || book === connectionId
            ? []
            : [`${attemptId}: it is in the book of ${book}, and on record at ${connectionId}`];
        })
      : [],
  );
}
