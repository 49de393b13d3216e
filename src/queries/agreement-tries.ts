// Every try to charge the periods of an agreement, from its events: the document keeps the newest of each.
import type { AgreementEvent, ChargeOutcome, RetryRefusal } from '../domain/agreement/events.ts';
import type { RetryBecause } from '../domain/decider.ts';
import type { Unsealed } from '../journal/envelope.ts';

export interface ChargeTry {
  readonly periodKey: string;
  readonly try: number;
  readonly paymentId: string;
  /** Minor units. */
  readonly amount: number;
  readonly currencyCode: string;
  /** ms, as all times here. */
  readonly claimedAt: number;
  /** Absent while its payment has no outcome. */
  readonly outcome?: ChargeOutcome;
  readonly code?: string | undefined;
  readonly settledAt?: number;
  /** The id of the event that has the outcome. */
  readonly settledBy?: string;
  /** When the next try of the period might begin, and who said so. */
  readonly notBefore?: number | undefined;
  readonly because?: RetryBecause | undefined;
  /** When the service was to make the next try, or why it did not. */
  readonly retryAt?: number;
  readonly retryRefused?: RetryRefusal;
}

/** In the order of their claims. */
export async function triesIn(history: AsyncIterable<Unsealed<AgreementEvent>>): Promise<readonly ChargeTry[]> {
  const tries = new Map<string, ChargeTry>();
  const nameOf = (periodKey: string, number: number): string => `${number} ${periodKey}`;
  const change = (periodKey: string, number: number, changed: Partial<ChargeTry>): void => {
    const name = nameOf(periodKey, number);
    const before = tries.get(name);
    if (before !== undefined) tries.set(name, { ...before, ...changed });
  };
  for await (const { event, recorded } of history) {
    switch (event.type) {
      case 'ChargeClaimed':
        tries.set(nameOf(event.data.periodKey, event.data.try), event.data);
        break;
      case 'ChargeSettled': {
        const { periodKey, try: number, paymentId: _same, ...end } = event.data;
        change(periodKey, number, { ...end, settledAt: recorded.at, settledBy: recorded.id });
        break;
      }
      case 'RetryPlanned':
        change(event.data.periodKey, event.data.try - 1, { retryAt: event.data.dueAt });
        break;
      case 'RetryRefused': {
        const { periodKey, try: number, because: retryRefused } = event.data;
        change(periodKey, number - 1, { retryRefused });
        break;
      }
      default: // says nothing about a try
    }
  }
  return [...tries.values()];
}
