// The sandbox's ledger against the payments of one account, as `sandbox diff` compares those of all.

import { paymentCategory } from '../../domain/payment/events.ts';
import type { Projections } from '../../projections/engine/engine.ts';
import { LOG } from '../../projections/engine/parked/parked-records.ts';
import { payments } from '../../projections/models/payments.ts';
import { categoryOf, idOf } from '../../stores/stream-name.ts';
import type { World } from '../../world.ts';
import { type CompareParts, type Comparison, compareLedger } from './compare-ledger.ts';
import { type Difference, inWords } from './payment-ledger.ts';

interface ComparedDifference {
  readonly paymentId: string;
  /** For people. */
  readonly words: string;
}

export interface OwnComparison
  extends Pick<Comparison, 'payments' | 'lines' | 'open' | 'differences' | 'totals' | 'held'> {
  /** The first of them. */
  readonly shown: readonly ComparedDifference[];
  readonly tookMs: number;
}

type CompareOwnParts = Pick<CompareParts, 'ledger' | 'readModels' | 'current' | 'unreadable'> & {
  readonly furtherBooksOf: (accountId: string) => Promise<readonly string[]>;
  readonly world: Pick<World, 'sleep' | 'monotonic'>;
};

/** Answers at most `limit` differences, and the number of all. Throws faults of the stores and the ledger. */
export const compareOwn =
  (parts: CompareOwnParts) =>
  async (accountId: string, limit: number): Promise<OwnComparison> => {
    const began = parts.world.monotonic();
    const shown: ComparedDifference[] = [];
    const found = (one: Difference): void => {
      if (shown.length < limit) shown.push({ paymentId: one.paymentId, words: inWords(one) });
    };
    const { payments, lines, open, differences, totals, held } = await compareLedger({
      ...parts,
      accountId,
      furtherBooks: await parts.furtherBooksOf(accountId),
      found,
    });
    const tookMs = Math.round(parts.world.monotonic() - began);
    return { payments, lines, open, differences, totals, held, shown, tookMs };
  };

/** By payment id, each with the reason. Rejects with StoreUnavailable. */
export async function unreadablePayments(
  projections: Pick<Projections, 'parked'>,
): Promise<ReadonlyMap<string, string>> {
  const parked = await projections.parked(undefined, { withReleased: true }); // a release makes nothing readable
  return new Map(
    parked
      .filter(
        ({ projection, stream }) =>
          [payments.name, LOG.name].includes(projection) && categoryOf(stream) === paymentCategory.name,
      )
      .map(({ stream, fault }) => [idOf(stream), fault.replace(/^\w*: /, '')]),
  );
}
