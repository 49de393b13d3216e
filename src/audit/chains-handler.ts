// The module that threads load to check the chains of whole streams.
import { hash } from 'node:crypto';
import { checkFollows } from '../journal/chain.ts';
import { checkReadableData } from '../journal/envelope.ts';
import { BrokenStream } from '../stores/broken-stream.ts';
import type { OpenStreamWork, StoredEvent } from '../stores/event-store.ts';
import { categoryOf } from '../stores/stream-name.ts';
import { ChainsData, type ChainsNote } from './chains-note.ts';

export const openWork: OpenStreamWork = async (data) => {
  const chained = new Set(ChainsData.parse(data));
  let [events, isWhole, hasChain] = [0, true, false];
  let storeId: string | undefined;
  let names: bigint[] = [];
  let before: StoredEvent | undefined;
  const add = (stored: StoredEvent): void => {
    const { stream } = stored;
    if (before?.stream !== stream) {
      before = undefined;
      hasChain = chained.has(categoryOf(stream));
      names.push(hash('sha256', stream, 'buffer').readBigUInt64LE());
      if (stream === 'store-0') storeId = stored.id;
    }
    events += 1;
    // in the order of the log, too
    if (hasChain) isWhole = isWhole && (before?.position ?? -1n) < stored.position && isNext(before, stored);
    before = stored;
  };
  return {
    take(page, isLast) {
      for (const stored of page) add(stored);
      if (!isLast) return [];
      const note: ChainsNote = { events, isWhole, ...(storeId !== undefined && { storeId }) };
      const { buffer } = BigUint64Array.from(names);
      [events, storeId, names, before] = [0, undefined, [], undefined];
      return [{ bytes: buffer, note }];
    },
  };
};

function isNext(before: StoredEvent | undefined, stored: StoredEvent): boolean {
  try {
    checkFollows(before, stored);
    checkReadableData(stored);
    return true;
  } catch (fault) {
    if (fault instanceof BrokenStream) return false;
    throw fault;
  }
}
