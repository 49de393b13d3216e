// Whether money is conserved: no payment is captured beyond its authorization, or refunded beyond its captures. Folded
// from the log alone, so that a read model that is wrong cannot hide it.

import { plus, type Sum } from '../domain/money.ts';
import { addHeld, type Held } from '../domain/payment/derived-status.ts';
import type { Payment } from '../domain/payment/payment.ts';
import { isConserved, isKnown, openOverRefund } from '../domain/payment/queries.ts';
import { payment } from '../domain/payment/state.ts';
import { overRefundOf } from '../domain/payment/totals.ts';
import { readUntilBreak } from '../journal/chain.ts';
import { UnknownEvent, unsealEvent } from '../journal/envelope.ts';
import { readLog } from '../journal/read-log.ts';
import type { EventStore } from '../stores/event-store.ts';

/** All payments in one currency; minor units. */
interface CurrencySums {
  readonly currencyCode: string;
  readonly payments: number;
  readonly authorized: Sum;
  readonly captured: Sum;
  readonly refunded: Sum;
  /** The part of `refunded` beyond the captures that an operator has accepted. */
  readonly overRefundAccepted: Sum;
}

interface HeldInCurrency extends Held {
  readonly currencyCode: string;
}

interface NotConserved {
  readonly stream: string;
  readonly currencyCode: string;
  readonly authorized: number;
  readonly captured: number;
  readonly refunded: number;
}

export interface Conservation {
  /** By currency. */
  readonly currencies: readonly CurrencySums[];
  /** Money at the processors that is in no sum, and that only an operator closes; by currency. */
  readonly held: readonly HeldInCurrency[];
  /** At most MOST_NAMED payments, in the order of the log. */
  readonly violations: readonly NotConserved[];
  readonly violated: number;
  /** Streams of payments that cannot be read to their end, at most MOST_NAMED: they are counted up to there. */
  readonly unreadable: readonly string[];
  readonly unread: number;
}

const MOST_NAMED = 1_000;
/** Streams that are read at the same time. */
const READS_AT_ONCE = 16;

interface ConservationWalk {
  /** The last position that is read. */
  readonly to: bigint;
  /** The payments so far, and the position that was reached. */
  readonly onProgress?: (payments: number, position: bigint) => void;
}

/**
 * Folds every payment up to a position, one stream after the other: memory does not grow with their number. Throws
 * StoreUnavailable and the signal's reason.
 */
export async function conservationOf(
  events: Pick<EventStore, 'follow' | 'read'>,
  { to, onProgress }: ConservationWalk,
  signal: AbortSignal,
): Promise<Conservation> {
  const tally = new SumsOfPayments();
  for await (const batch of readLog(events, { after: -1n, to, categories: [payment.category.name] }, signal)) {
    const begun = batch.events.filter(({ revision, position }) => revision === 0 && position <= to);
    for (let at = 0; at < begun.length; at += READS_AT_ONCE) {
      const some = begun.slice(at, at + READS_AT_ONCE).map(({ stream }) => stream);
      const folded = await Promise.all(some.map((stream) => foldedTo(events, stream, to)));
      for (const [place, { state, isWhole }] of folded.entries()) tally.add(some[place] ?? '', state, isWhole);
    }
    onProgress?.(tally.payments, batch.position);
  }
  return tally.result();
}

async function foldedTo(
  events: Pick<EventStore, 'read'>,
  stream: string,
  to: bigint,
): Promise<{ readonly state: Payment; readonly isWhole: boolean }> {
  let state = payment.initial;
  try {
    const broken = await readUntilBreak(events, stream, (stored) => {
      if (stored.position > to) return false;
      const { event, recorded } = unsealEvent(payment.category, stored);
      state = payment.evolve(state, event, recorded);
      return true;
    });
    return { state, isWhole: broken === undefined };
  } catch (fault) {
    if (fault instanceof UnknownEvent) return { state, isWhole: false };
    throw fault;
  }
}

type GrowingSums = { -readonly [Name in keyof CurrencySums]: CurrencySums[Name] };

class SumsOfPayments {
  payments = 0;
  readonly #currencies = new Map<string, GrowingSums>();
  readonly #held = new Map<string, Held>();
  readonly #violations: NotConserved[] = [];
  #violated = 0;
  readonly #unreadable: string[] = [];
  #unread = 0;

  add(stream: string, state: Payment, isWhole: boolean): void {
    this.payments += 1;
    if (!isWhole) {
      this.#unread += 1;
      if (this.#unreadable.length < MOST_NAMED) this.#unreadable.push(stream);
    }
    if (!isKnown(state)) return;
    addHeld(this.#held, state);
    const { currencyCode, amountAuthorized, amountCaptured, amountRefunded } = state;
    const sums = this.#sumsIn(currencyCode);
    sums.payments += 1;
    sums.authorized = plus(sums.authorized, amountAuthorized);
    sums.captured = plus(sums.captured, amountCaptured);
    sums.refunded = plus(sums.refunded, amountRefunded);
    if (openOverRefund(state) === 0) sums.overRefundAccepted = plus(sums.overRefundAccepted, overRefundOf(state));
    if (isConserved(state)) return;
    this.#violated += 1;
    if (this.#violations.length < MOST_NAMED)
      this.#violations.push({
        stream,
        currencyCode,
        authorized: amountAuthorized,
        captured: amountCaptured,
        refunded: amountRefunded,
      });
  }

  result(): Conservation {
    return {
      currencies: byCurrency(this.#currencies).map(([, sums]) => sums),
      held: byCurrency(this.#held).map(([currencyCode, held]) => ({ currencyCode, ...held })),
      violations: this.#violations,
      violated: this.#violated,
      unreadable: this.#unreadable,
      unread: this.#unread,
    };
  }

  #sumsIn(currencyCode: string): GrowingSums {
    const known = this.#currencies.get(currencyCode);
    if (known !== undefined) return known;
    const sums: GrowingSums = {
      currencyCode,
      payments: 0,
      authorized: 0,
      captured: 0,
      refunded: 0,
      overRefundAccepted: 0,
    };
    this.#currencies.set(currencyCode, sums);
    return sums;
  }
}

const byCurrency = <Of>(sums: ReadonlyMap<string, Of>): readonly (readonly [currencyCode: string, of: Of])[] =>
  [...sums].sort(([a], [b]) => (a < b ? -1 : 1));
