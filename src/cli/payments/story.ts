// What happened to a payment as lines of a table, oldest first: whatever is on record, also what no attempt at the processor tells.

import { inCurrency } from '../../domain/in-currency.ts';
import type { PaymentEvent } from '../../domain/payment/state.ts';
import type { Unsealed } from '../../journal/envelope.ts';
import { formatTime } from '../../world.ts';
import { table, toSecond } from '../table.ts';

type Recorded = Unsealed<PaymentEvent>;

/** `room`: columns of the terminal; where it is left out, those of stdout. */
export function storyTable(events: readonly Recorded[], currencyCode: string, room?: number): string {
  const operations = operationsIn(events);
  const rows = events.map(({ event, recorded, metadata }) => {
    const { type, data } = event;
    const operation = 'attemptId' in data ? (operations.get(data.attemptId) ?? '') : '';
    const currency = 'currencyCode' in data ? data.currencyCode : currencyCode; // a processor may have answered in another one
    const amount = 'amount' in data && operation !== 'cancellation' ? inCurrency(data.amount, currency) : '';
    return [toSecond(formatTime(recorded.at)), operation, type, amount, toldBy(event) ?? doneBy(metadata.actor)];
  });
  return table(['date', 'operation', 'event', 'amount', 'what is known'], rows, room);
}

/** By attempt. */
function operationsIn(events: readonly Recorded[]): ReadonlyMap<string, string> {
  const operations = new Map<string, string>();
  for (const { event } of events) {
    const [, operation] = /^(\w+)Requested$/.exec(event.type) ?? [];
    if (operation !== undefined && 'attemptId' in event.data) operations.set(event.data.attemptId, operation.toLowerCase());
  }
  return operations;
}

/** In a line of text; undefined where it says nothing besides who did it. */
function toldBy({ type, data }: PaymentEvent): string | undefined {
  switch (type) {
    case 'AttemptSucceeded':
    case 'AttemptPending':
    case 'AttemptNotSent':
    case 'AttemptUnknown':
    case 'AttemptNotFound':
    case 'LateSuccessRecorded':
    case 'OverRefundAccepted':
      return evidence(data.evidence);
    case 'AttemptDeclined':
    case 'AnswerMismatched':
      return evidence(data.evidence, data.reason.message);
    case 'LookUpScheduled':
      return evidence(
        data.evidence ?? { source: 'lookup', detail: `${data.answer}.` },
        `It is asked again ${toSecond(formatTime(data.lookUpAt))}.`,
      );
    case 'CancellationIntended':
    case 'PaymentCancelled':
    case 'CancellationRequested':
    case 'RefundRequested':
      return data.reason;
    case 'VaultingRecorded':
      return data.refused === undefined ? `vaulted as ${data.paymentMethodToken}` : `refused: ${data.refused}`;
    case 'PaymentCreated':
    case 'PaymentAbandoned':
    case 'AuthorizationRequested':
    case 'CaptureRequested':
    case 'AdjustmentRequested':
    case 'AuthorizationExpired':
      return undefined;
    default:
      return type satisfies never;
  }
}

const doneBy = ({ kind, id }: Recorded['metadata']['actor']): string => (kind === 'apiKey' ? `by ${id}` : `by ${kind} ${id}`);

/** `more`: what is known besides, a sentence behind what may be none: operators write what they like. */
function evidence({ source, detail }: { readonly source: string; readonly detail?: string | undefined }, more?: string): string {
  const sentences = more === undefined ? [detail] : [detail?.replace(/[^.!?]$/, '$&.'), more];
  const told = sentences.filter((one) => one !== undefined).join(' ');
  return told === '' ? source : `${source}: ${told}`;
}
