// The history of a payment as lines of a table, oldest first: every fact, also facts that belong to no attempt.

import { inCurrency } from '../../domain/in-currency.ts';
import type { Operation } from '../../domain/operation.ts';
import type { PaymentEvent } from '../../domain/payment/events.ts';
import { isRequested, operationOf } from '../../domain/payment/fact-names.ts';
import type { Unsealed } from '../../journal/envelope.ts';
import { formatTime } from '../../world.ts';
import { table, toSecond } from '../table.ts';
import { whatIsKnown } from './what-is-known.ts';

type Recorded = Unsealed<PaymentEvent>;

/** `room`: columns of the terminal; where it is left out, those of stdout. */
export function storyTable(events: readonly Recorded[], currencyCode: string, room?: number): string {
  const operations = operationsIn(events);
  const rows = events.map(({ event, recorded, metadata }) => {
    const { type, data } = event;
    const operation = 'attemptId' in data && data.attemptId !== undefined ? operations.get(data.attemptId) : undefined;
    const currency = ('currencyCode' in data ? data.currencyCode : undefined) ?? currencyCode; // a processor may have answered in another one
    const amount = 'amount' in data && data.amount !== undefined ? inCurrency(data.amount, currency) : '';
    return [toSecond(formatTime(recorded.at)), operation ?? '', type, amount, toldBy(event, operation) ?? doneBy(metadata.actor)];
  });
  return table(['date', 'operation', 'event', 'amount', 'what is known'], rows, room);
}

/** By attempt. */
function operationsIn(events: readonly Recorded[]): ReadonlyMap<string, Operation> {
  const operations = new Map<string, Operation>();
  for (const { event } of events) if (isRequested(event)) operations.set(event.data.attemptId, operationOf(event));
  return operations;
}

/** In a line of text; undefined where the evidence names only its source. */
function toldBy(event: PaymentEvent, operation: Operation = 'authorization'): string | undefined {
  const { data } = event;
  switch (event.type) {
    case 'CancellationIntended':
    case 'PaymentCancelled':
    case 'CancellationRequested':
    case 'RefundRequested':
      return event.data.reason;
    case 'VaultingRecorded':
      return event.data.refused === undefined ? `vaulted as ${event.data.paymentMethodToken}` : `refused: ${event.data.refused}`;
    case 'LookUpRecorded':
      return evidence(data, event, operation, `It is asked again ${toSecond(formatTime(event.data.nextLookUpAt))}.`);
    default:
      return evidence(data, event, operation);
  }
}

const doneBy = ({ kind, id }: Recorded['metadata']['actor']): string => (kind === 'apiKey' ? `by ${id}` : `by ${kind} ${id}`);

/** `more`: a sentence after a text that may be no sentence: operators write freely. */
function evidence(data: PaymentEvent['data'], event: PaymentEvent, operation: Operation, more?: string): string | undefined {
  if (!('evidence' in data) || data.evidence === undefined) return undefined;
  const { source, detail } = data.evidence;
  const known = whatIsKnown(event, operation) ?? detail;
  const sentences = more === undefined ? [known] : [known?.replace(/[^.!?]$/, '$&.'), more];
  const told = sentences.filter((one) => one !== undefined).join(' ');
  return told === '' ? source : `${source}: ${told}`;
}
