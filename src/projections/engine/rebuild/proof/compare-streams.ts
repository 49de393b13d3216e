// Compares two generations of documents of streams: every document at equal revision, the older one folded up.

import { Digest } from '../../../../stores/document-digest.ts';
import type { StoredText } from '../../../../stores/read-models.ts';
import { StoreUnavailable } from '../../../../stores/store-unavailable.ts';
import { streamOf } from '../../../../stores/stream-name.ts';
import { isDocOf } from '../../../../stores/typed-doc.ts';
import type { StreamProjection } from '../../../projection.ts';
import type { Copy } from '../../generations/copy.ts';
import { type ApplyParts, foldStream } from '../../streams/catch-up-stream.ts';
import type { Live, Made } from '../steps.ts';
import { type Broken, Proof, type ProofResult } from './proof.ts';
import { sideBySide } from './side-by-side.ts';

type CompareParts = Pick<ApplyParts, 'events' | 'store' | 'heads'>;
interface MadeOf<Doc extends object, K extends string> extends Made {
  readonly copy: Copy<Doc, K>;
  /** How many it has, about. */
  readonly documents: number;
}

/**
 * Compares both by id. With another version nothing can be folded up, so each side counts as it is. Both may be written
 * in the meantime: a document that lags, or is missing, on one side is folded from the log to the revision of the
 * other. `broken`: ids of documents with broken streams; two documents that end before the same break prove nothing,
 * unless it is released.
 */
export async function compareStreams<Doc extends object, K extends string>(
  parts: CompareParts,
  of: StreamProjection<Doc, K>,
  before: Live,
  made: MadeOf<Doc, K>,
  broken: Broken,
): Promise<ProofResult> {
  return (await compareDifferent(parts, of, before, made, broken)) ?? walked(parts, of, before, made, broken);
}

/**
 * From the documents that the store finds to differ. Undefined if the store cannot do this, and where it failed: a
 * walk through both generations meets the same fault, and names its generation.
 */
async function compareDifferent<Doc extends object, K extends string>(
  parts: CompareParts,
  of: StreamProjection<Doc, K>,
  before: Live,
  { copy, digest, documents, position }: MadeOf<Doc, K>,
  broken: Broken,
): Promise<ProofResult | undefined> {
  if (before.versionChanged) return undefined;
  const proof = new Proof(broken);
  const equal = new Digest();
  if (digest !== undefined) equal.addAll(digest);
  let found = 0;
  try {
    const differences = parts.store.differences?.(before.copy, copy, { documents, wantsDigest: digest === undefined });
    if (differences === undefined) return undefined;
    for await (const part of differences) {
      found += part.made;
      if (part.equal !== undefined) equal.addAll(part.equal);
      for (const { id, old, made } of part.pairs) {
        if (digest !== undefined && made !== undefined) equal.remove(made);
        proof.add(id, ...(await atEqualRevision(parts, of, id, old, made)));
      }
    }
  } catch (fault) {
    if (fault instanceof StoreUnavailable) return undefined;
    throw fault;
  }
  proof.addEqual(equal);
  if (digest === undefined) return proof.result;
  // Any process may have written a later event to the new generation: then the known digest is of other documents.
  const isExact = found === digest.documents && (await parts.events.head()) === position;
  return isExact
    ? proof.result
    : compareDifferent(parts, of, before, { copy, digest: undefined, documents, position }, broken);
}

async function walked<Doc extends object, K extends string>(
  parts: CompareParts,
  of: StreamProjection<Doc, K>,
  { copy, versionChanged }: Live,
  after: MadeOf<Doc, K>,
  broken: Broken,
): Promise<ProofResult> {
  const proof = new Proof(broken);
  for await (const { id, old, made } of sideBySide(parts.store, copy, after.copy)) {
    const [left, right] = versionChanged ? [old, made] : await atEqualRevision(parts, of, id, old, made);
    proof.add(id, left, right);
  }
  return proof.result;
}

async function atEqualRevision<Doc extends object, K extends string>(
  parts: CompareParts,
  of: StreamProjection<Doc, K>,
  id: string,
  old: StoredText | undefined,
  made: StoredText | undefined,
): Promise<readonly [StoredText | undefined, StoredText | undefined]> {
  const oldRevision = old?.revision ?? -1;
  const madeRevision = made?.revision ?? -1;
  if (oldRevision === madeRevision) return [old, made];
  const raise = (text: StoredText | undefined): Promise<StoredText | undefined> =>
    foldText(parts, of, id, text, Math.max(oldRevision, madeRevision));
  return oldRevision < madeRevision ? [await raise(old), made] : [old, await raise(made)];
}

async function foldText<Doc extends object, K extends string>(
  parts: CompareParts,
  of: StreamProjection<Doc, K>,
  id: string,
  from: StoredText | undefined,
  revision: number,
): Promise<StoredText | undefined> {
  const doc: unknown = from === undefined ? undefined : JSON.parse(from.text);
  const row = from === undefined || !isDocOf(of, doc) ? undefined : { id, revision: from.revision, doc };
  const { reached } = await foldStream(parts, of, streamOf(of.category, id), row, revision);
  return reached === undefined ? undefined : { id, revision: reached.revision, text: JSON.stringify(reached.doc) };
}
