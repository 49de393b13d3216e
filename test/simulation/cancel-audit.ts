// Cancellations in the log: none leads to a capture, and nothing is captured once the merchant wants the payment
// cancelled (contract §4).
import { isOpen } from '../../src/domain/payment/attempt.ts';
import type { KnownPayment } from '../../src/domain/payment/payment.ts';
import type { StoredEvent } from '../../src/stores/event-store.ts';

/** The end of the request id of every call that cancels. */
export const OF_CANCEL = '_cancel';

/** `before`: the payment that the event was appended to. */
export function wrongCapture(
  { stream, revision, type, metadata }: StoredEvent,
  before: object | undefined,
  data: object,
): readonly string[] {
  if (type !== 'CaptureRequested') return [];
  const capture = `${type} in ${stream}@${revision}`;
  const correlation = /"\$correlationId":"([^"]*)"/.exec(metadata)?.[1] ?? '';
  return [
    ...(correlation.endsWith(OF_CANCEL) ? [`${capture} was requested by a cancellation`] : []),
    ...(before !== undefined && isPayment(before) && isUnwanted(before, 'follows' in data)
      ? [`${capture} came after its cancellation was asked for`]
      : []),
  ];
}

const isPayment = (state: object): state is KnownPayment => 'attempts' in state; // the payment's own decider folded it

/** A merchant may capture in the end where the void was refused; nothing else may. */
const isUnwanted = ({ cancellation, attempts }: KnownPayment, isAutomatic: boolean): boolean =>
  cancellation !== undefined &&
  (isAutomatic || attempts.some((one) => one.follows?.because === 'intended_cancellation' && isOpen(one)));
