// The names of facts by operation and result, and back: the fold, the deciders and the answers all speak of both.
import type { PaymentEvent } from './events.ts';
import type { Operation } from './outcome.ts';

export const REQUESTED = {
  authorization: 'AuthorizationRequested',
  capture: 'CaptureRequested',
  cancellation: 'CancellationRequested',
  refund: 'RefundRequested',
  adjustment: 'AdjustmentRequested',
} as const satisfies Names;
export const SUCCEEDED = {
  authorization: 'PaymentAuthorized',
  capture: 'PaymentCaptured',
  cancellation: 'AuthorizationVoided',
  refund: 'RefundSucceeded',
  adjustment: 'AuthorizationAdjusted',
} as const satisfies Names;
export const DECLINED = {
  authorization: 'AuthorizationDeclined',
  capture: 'CaptureDeclined',
  cancellation: 'CancellationDeclined',
  refund: 'RefundDeclined',
  adjustment: 'AdjustmentDeclined',
} as const satisfies Names;
export const PENDING = {
  authorization: 'AuthorizationPending',
  capture: 'CapturePending',
  cancellation: 'CancellationPending',
  refund: 'RefundPending',
  adjustment: 'AdjustmentPending',
} as const satisfies Names;
export const NOT_SENT = {
  authorization: 'AuthorizationNotSent',
  capture: 'CaptureNotSent',
  cancellation: 'CancellationNotSent',
  refund: 'RefundNotSent',
  adjustment: 'AdjustmentNotSent',
} as const satisfies Names;
export const UNKNOWN = {
  authorization: 'AuthorizationOutcomeUnknown',
  capture: 'CaptureOutcomeUnknown',
  cancellation: 'CancellationOutcomeUnknown',
  refund: 'RefundOutcomeUnknown',
  adjustment: 'AdjustmentOutcomeUnknown',
} as const satisfies Names;
export const NOT_FOUND = {
  authorization: 'AuthorizationNotFound',
  capture: 'CaptureNotFound',
  cancellation: 'CancellationNotFound',
  refund: 'RefundNotFound',
  adjustment: 'AdjustmentNotFound',
} as const satisfies Names;
export const RETURNED = { capture: 'CaptureReturned', refund: 'RefundReturned' } as const;

type Names = { readonly [O in Operation]: PaymentEvent['type'] };
type Of<N> = N[keyof N];
type EventOf<N> = Extract<PaymentEvent, { readonly type: Of<N> }>;

export type RequestedEvent = EventOf<typeof REQUESTED>;
export type SucceededEvent = EventOf<typeof SUCCEEDED>;
export type DeclinedEvent = EventOf<typeof DECLINED>;
export type PendingEvent = EventOf<typeof PENDING>;
export type NotSentEvent = EventOf<typeof NOT_SENT>;
export type UnknownEvent = EventOf<typeof UNKNOWN>;
export type NotFoundEvent = EventOf<typeof NOT_FOUND>;
export type ReturnedEvent = EventOf<typeof RETURNED>;

const valuesOf = (names: { readonly [operation: string]: string }): ReadonlySet<string> => new Set(Object.values(names));
const isOneOf = <E extends PaymentEvent>(names: { readonly [operation: string]: E['type'] }): ((event: PaymentEvent) => event is E) => {
  const types = valuesOf(names);
  return (event): event is E => types.has(event.type);
};

const OPERATIONS = {
  AuthorizationRequested: 'authorization',
  CaptureRequested: 'capture',
  CancellationRequested: 'cancellation',
  RefundRequested: 'refund',
  AdjustmentRequested: 'adjustment',
} as const satisfies { readonly [T in RequestedEvent['type']]: Operation };

/** What a request asks for. */
export const operationOf = (type: RequestedEvent['type']): Operation => OPERATIONS[type];

export const isRequested = isOneOf<RequestedEvent>(REQUESTED);
export const isSucceeded = isOneOf<SucceededEvent>(SUCCEEDED);
export const isDeclined = isOneOf<DeclinedEvent>(DECLINED);
export const isPending = isOneOf<PendingEvent>(PENDING);
export const isNotSent = isOneOf<NotSentEvent>(NOT_SENT);
export const isOutcomeUnknown = isOneOf<UnknownEvent>(UNKNOWN);
export const isNotFound = isOneOf<NotFoundEvent>(NOT_FOUND);
export const isReturned = isOneOf<ReturnedEvent>(RETURNED);
