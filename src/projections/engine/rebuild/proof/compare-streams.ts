// Compares two generations of documents of streams: every document at equal revision, the older one folded up.
import type { StoredText } from '../../../../stores/read-models.ts';
import { streamOf } from '../../../../stores/stream-name.ts';
import { isDocOf } from '../../../../stores/typed-doc.ts';
import type { StreamProjection } from '../../../projection.ts';
import type { Copy } from '../../generations/copy.ts';
import { type ApplyParts, foldStream } from '../../streams/catch-up-stream.ts';
import { type Broken, Proof, type ProofResult } from './proof.ts';
import { sideBySide } from './side-by-side.ts';

/**
 * Compares both by id. With another version nothing can be folded up, so each side counts as it is. Both may be written
 * in the meantime: a document that lags, or is missing, on one side is folded from the log to the revision of the
 * other. `broken`: ids of documents with broken streams; two documents that end before the same break prove nothing,
 * unless it is released.
 */
export async function compareStreams<Doc extends object, K extends string>(
  parts: ApplyParts,
  of: StreamProjection<Doc, K>,
  before: Copy<object, never>,
  after: Copy<Doc, K>,
  { broken, versionChanged }: { readonly broken: Broken; readonly versionChanged: boolean },
): Promise<ProofResult> {
  const proof = new Proof(broken);
  for await (const { id, old, made } of sideBySide(parts, before, after)) {
    const [left, right] = versionChanged ? [old, made] : await atEqualRevision(parts, of, id, old, made);
    proof.add(id, left, right);
  }
  return proof.result;
}

async function atEqualRevision<Doc extends object, K extends string>(
  parts: ApplyParts,
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
  parts: ApplyParts,
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
