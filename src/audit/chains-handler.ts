// The module that threads load to check the chains of whole streams, and to hash the leaves of the Merkle tree.
import { hash } from 'node:crypto';
import { type Link, linkOf } from '../journal/chain.ts';
import { beforeFirst, checkReadableData, hashOf } from '../journal/envelope.ts';
import { BrokenStream } from '../stores/broken-stream.ts';
import type { OpenStreamWork, Parcel, StoredEvent } from '../stores/event-store.ts';
import { categoryOf } from '../stores/stream-name.ts';
import { ChainsData, type ChainsNote } from './chains-note.ts';
import { leafHash } from './merkle-tree.ts';
import { LEAF_BYTES } from './walked-tree.ts';

export const openWork: OpenStreamWork = async (data) => {
  const { chained, withLeaves } = ChainsData.parse(data);
  const categories = new Set(chained);
  let isWhole = true;
  let storeId: string | undefined;
  let names: bigint[] = [];
  let stream: string | undefined;
  let position = -1n;
  /** Undefined in a stream of another program. */
  let link: Link | undefined;
  const enter = (stored: StoredEvent): void => {
    stream = stored.stream;
    position = -1n;
    link = categories.has(categoryOf(stream)) ? beforeFirst : undefined;
    names.push(hash('sha256', stream, 'buffer').readBigInt64LE());
    if (stream === 'store-0') storeId = stored.id;
  };
  /** The hash of the event; undefined if nothing needs it. */
  const check = (stored: StoredEvent): string | undefined => {
    if (stored.stream !== stream) enter(stored);
    isWhole &&= position < stored.position;
    position = stored.position;
    if (link === undefined) return withLeaves ? hashOf(stored) : undefined;
    const next = nextOf(link, stored);
    isWhole &&= next !== undefined;
    link = next ?? { revision: stored.revision, hash: hashOf(stored) };
    return link.hash;
  };
  const parcelOf = (hashes: readonly (string | undefined)[], events: readonly StoredEvent[]): Parcel => {
    const leaves = withLeaves ? events.length : 0;
    const buffer = new ArrayBuffer(8 * (names.length + leaves) + LEAF_BYTES * leaves);
    const numbers = new BigInt64Array(buffer, 0, names.length + leaves);
    const bytes = Buffer.from(buffer, numbers.byteLength);
    for (const [n, name] of names.entries()) numbers[n] = name;
    for (let n = 0; n < leaves; n += 1) {
      const stored = events[n];
      const hashed = hashes[n];
      if (stored === undefined || hashed === undefined) continue;
      numbers[names.length + n] = stored.position;
      bytes.write(leafHash(stored.stream, stored.revision, hashed), n * LEAF_BYTES, 'latin1');
    }
    const note: ChainsNote = {
      events: events.length,
      streams: names.length,
      isWhole,
      ...(storeId !== undefined && { storeId }),
    };
    [names, storeId] = [[], undefined];
    return { bytes: buffer, note };
  };
  return {
    take(events, isLast) {
      const parcels = events.length === 0 ? [] : [parcelOf(events.map(check), events)];
      if (isLast) stream = undefined;
      return parcels;
    },
  };
};

/** Undefined if the event does not follow, or cannot be read. */
function nextOf(before: Link, stored: StoredEvent): Link | undefined {
  try {
    const link = linkOf(before, stored);
    checkReadableData(stored); // its metadata ends with the right hash
    return link;
  } catch (fault) {
    if (fault instanceof BrokenStream) return undefined;
    throw fault;
  }
}
