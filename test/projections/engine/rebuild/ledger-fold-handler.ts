// The threads of the engine's tests know the ledgers, and refuse the amounts that the tests refuse.
import { foldWorkOf } from '../../../../src/projections/engine/rebuild/fold-work.ts';
import { ledgers, refused } from '../ledger.ts';
import { DEADLY, UNFOLDABLE } from './fatal-amounts.ts';
import { brittleLedgers, namedLedgers } from './more-ledgers.ts';

refused.amounts.add(UNFOLDABLE);
const fold = foldWorkOf([ledgers, namedLedgers, brittleLedgers]);

export const openWork: typeof fold = async (data) => {
  const work = await fold(data);
  return {
    take(events, isLast) {
      if (events.some((stored) => stored.data.includes(`"amount":${DEADLY}`))) process.exit(3);
      return work.take(events, isLast);
    },
  };
};
