// The history of a payment as lines of a table, oldest first: every fact, also facts that belong to no attempt.
import { inCurrency } from '../../domain/in-currency.ts';
import type { Operation } from '../../domain/operation.ts';
import { operationAbout, operationsIn, toldBy } from '../../domain/payment/event-words.ts';
import type { PaymentEvent } from '../../domain/payment/events.ts';
import type { Unsealed } from '../../journal/envelope.ts';
import { formatTime } from '../../world.ts';
import { table, toSecond } from '../table.ts';

type RecordedPaymentEvent = Unsealed<PaymentEvent>;

/** `room`: columns of the terminal; where it is left out, those of stdout. */
export function storyTable(events: readonly RecordedPaymentEvent[], currencyCode: string, room?: number): string {
  const operations = operationsIn(events.map(({ event }) => event));
  const rows = events.map(({ event, recorded, metadata }) => {
    const { type, data } = event;
    const operation = operationAbout(event, operations);
    // a processor may have answered in another one
    const currency = ('currencyCode' in data ? data.currencyCode : undefined) ?? currencyCode;
    const amount = 'amount' in data && data.amount !== undefined ? inCurrency(data.amount, currency) : '';
    return [
      toSecond(formatTime(recorded.at)),
      operation ?? '',
      type,
      amount,
      known(event, operation) ?? doneBy(metadata.actor),
    ];
  });
  return table(['date', 'operation', 'event', 'amount', 'what is known'], rows, room);
}

/** The evidence in a line of text, with its source if it has one; undefined if there is none. */
function known(event: PaymentEvent, operation: Operation | undefined): string | undefined {
  const told = toldBy(event, operation, (ms) => toSecond(formatTime(ms)));
  const source = 'evidence' in event.data ? event.data.evidence?.source : undefined;
  if (source === undefined) return told;
  return told === undefined ? source : `${source}: ${told}`;
}

const doneBy = ({ kind, id }: RecordedPaymentEvent['metadata']['actor']): string =>
  kind === 'apiKey' ? `by ${id}` : `by ${kind} ${id}`;
