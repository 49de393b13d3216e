// The types of facts by operation and result, and back: the fold, the deciders and the answers all speak of both.
import { Operation } from '../operation.ts';
import type { PaymentEvent } from './events.ts';
import { type Facts, factsOf } from './operations.ts';

type FactOf<Type> = Extract<PaymentEvent, { readonly type: Type }>;

export type RequestedEvent = FactOf<Facts['requested']>;
type SucceededEvent = FactOf<Facts['succeeded']>;
type DeclinedEvent = FactOf<Facts['declined']>;
type PendingEvent = FactOf<Facts['pending']>;
type NotSentEvent = FactOf<Facts['not_sent']>;
type OutcomeUnknownEvent = FactOf<Facts['unknown']>;
type NotFoundEvent = FactOf<Facts['not_found']>;
type ReturnedEvent = FactOf<Extract<Facts, { readonly returned: string }>['returned']>;
/** Money that somebody moved at the processor: no request of ours came before it. */
export type OutsideEvent = FactOf<Extract<Facts, { readonly outside: string }>['outside']>;
/** A fact that every operation has, or some. */
export type OperationEvent =
  | RequestedEvent
  | SucceededEvent
  | DeclinedEvent
  | PendingEvent
  | NotSentEvent
  | OutcomeUnknownEvent
  | NotFoundEvent
  | ReturnedEvent
  | OutsideEvent;

const RESULTS = [
  'requested',
  'succeeded',
  'declined',
  'pending',
  'not_sent',
  'unknown',
  'not_found',
  'returned',
  'outside',
] as const;
export type Result = (typeof RESULTS)[number];

interface FactName {
  readonly operation: Operation;
  readonly result: Result;
}
const BY_TYPE: ReadonlyMap<string, FactName> = new Map(
  Operation.options.flatMap((operation) => {
    const types: { readonly [R in Result]?: string } = factsOf(operation);
    return RESULTS.flatMap((result): readonly [string, FactName][] => {
      const type = types[result];
      return type === undefined ? [] : [[type, { operation, result }]];
    });
  }),
);

/** The operation of a fact, and what the fact says of it; undefined for a fact of no operation, or of any. */
export const namedBy = (type: string): FactName | undefined => BY_TYPE.get(type);

export const isOfOperation = (event: PaymentEvent): event is OperationEvent => BY_TYPE.has(event.type);
export const operationOf = (event: OperationEvent): Operation => named(event).operation;
export const resultOf = (event: OperationEvent): Result => named(event).result;

function named({ type }: OperationEvent): FactName {
  const found = BY_TYPE.get(type);
  if (found === undefined) throw new TypeError(`${type} is a fact of no operation`);
  return found;
}

const saying =
  <E extends OperationEvent>(result: Result) =>
  (event: PaymentEvent): event is E =>
    BY_TYPE.get(event.type)?.result === result;

export const isRequested = saying<RequestedEvent>('requested');
export const isSucceeded = saying<SucceededEvent>('succeeded');
export const isDeclined = saying<DeclinedEvent>('declined');
export const isPending = saying<PendingEvent>('pending');
export const isNotSent = saying<NotSentEvent>('not_sent');
export const isOutcomeUnknown = saying<OutcomeUnknownEvent>('unknown');
export const isNotFound = saying<NotFoundEvent>('not_found');
export const isReturned = saying<ReturnedEvent>('returned');
export const isOutside = saying<OutsideEvent>('outside');

/**
 * The attempt that an append requests, or asks the processor to go on with; undefined for none. An append asks for at
 * most one. A request whose outcome is in the same append asks for nothing.
 */
export function attemptAskedFor(events: readonly PaymentEvent[]): string | undefined {
  const request = events.findLast(isAsking);
  if (request === undefined) return undefined;
  const { attemptId } = request.data;
  const last = events.at(-1);
  return last !== request && last !== undefined && isSucceeded(last) && last.data.attemptId === attemptId
    ? undefined
    : attemptId;
}

const isAsking = (
  event: PaymentEvent,
): event is RequestedEvent | FactOf<'AuthorizationPrepared' | 'AuthorizationResumed'> =>
  isRequested(event) || event.type === 'AuthorizationPrepared' || event.type === 'AuthorizationResumed';

/**
 * Nothing to tell yet: the outcome of the authorization follows, in the same append or, of a preparation or a
 * resumption, in a later one.
 */
export const isOnTheWay = (event: PaymentEvent): boolean =>
  event.type === 'AuthenticationCompleted' ||
  event.type === 'AuthorizationPrepared' ||
  event.type === 'AuthorizationResumed' ||
  event.type === 'RouteChosen' ||
  ((event.type === 'AuthorizationDeclined' || event.type === 'AuthorizationNotSent') &&
    event.data.retriedAs !== undefined);
