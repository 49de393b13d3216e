// The threads of the engine's tests know the ledgers, and refuse the amounts that the tests refuse.
import { z } from 'zod';
import { foldWorkOf } from '../../../../src/projections/engine/rebuild/fold.ts';
import type { OpenStreamWork } from '../../../../src/stores/event-store.ts';
import { ledgers, refused } from '../ledger.ts';
import { totals } from '../log/totals.ts';
import { DEADLY, UNFOLDABLE } from './fatal-amounts.ts';
import { brittleLedgers, namedLedgers } from './more-ledgers.ts';

refused.amounts.add(UNFOLDABLE);
const fold = foldWorkOf([ledgers, namedLedgers, brittleLedgers, totals]);
const Data = z.object({ order: z.unknown() });

export const openWork: OpenStreamWork = async (data) => {
  const work = await fold(Data.parse(data).order);
  return {
    take(events, isLast) {
      if (events.some((stored) => stored.data.includes(`"amount":${DEADLY}`))) process.exit(3);
      return work.take(events, isLast);
    },
  };
};
