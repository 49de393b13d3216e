// Compares two generations of documents over many streams: every document at the same position, the earlier one brought
// on.
import { readLog } from '../../../../journal/read-log.ts';
import type { DocumentPair, StoredText } from '../../../../stores/read-models.ts';
import { isDocOf } from '../../../../stores/typed-doc.ts';
import { changed, type LogProjection } from '../../../projection.ts';
import type { Copy } from '../../generations/copy.ts';
import { HeldStreams } from '../../log/held-streams.ts';
import { StreamReaders } from '../../log/stream-readers.ts';
import { isDiscarded } from '../../parked/discards.ts';
import type { ApplyParts } from '../../streams/catch-up-stream.ts';
import { Proof, type ProofResult } from './proof.ts';
import { sideBySide } from './side-by-side.ts';

/** A generation, and up to where everything is applied to it; single documents may have seen more. */
interface At<Doc extends object, K extends string> {
  readonly copy: Copy<Doc, K>;
  readonly position: bigint;
}

/** Pairs that are brought to the same position in one pass over the log's end. */
const PAIRS_A_PASS = 5_000;

/**
 * Walks both generations by id. Documents that have seen different positions are compared after the earlier one was
 * brought on with the log after the place up to which its generation holds everything: an earlier event that is not in
 * the document is a difference. The live generation may be written meanwhile.
 */
export async function compareLog<Doc extends object, K extends string>(
  parts: Pick<ApplyParts, 'events' | 'store' | 'world'>,
  of: LogProjection<Doc, K>,
  before: At<object, never>,
  after: At<Doc, K>,
  versionChanged: boolean,
  signal: AbortSignal,
): Promise<ProofResult> {
  const proof = new Proof({ broken: [], released: [] });
  const held: Held = {
    old: await HeldStreams.load(parts.store, before.copy),
    made: await HeldStreams.load(parts.store, after.copy),
  };
  const uneven: DocumentPair[] = [];
  const settle = async (): Promise<void> => {
    for (const { id, old, made } of await atOnePosition(
      parts,
      of,
      held,
      uneven.splice(0),
      before.position,
      after.position,
      signal,
    ))
      proof.add(id, old, made);
  };
  for await (const pair of sideBySide(parts, before.copy, after.copy)) {
    if (versionChanged || pair.old?.revision === pair.made?.revision) proof.add(pair.id, pair.old, pair.made);
    else if (uneven.push(pair) === PAIRS_A_PASS) await settle();
  }
  await settle();
  return proof.result;
}

interface Raised<Doc> {
  readonly pair: DocumentPair;
  readonly side: 'old' | 'made';
  /** The position of the other side's document. */
  readonly to: number;
  /** Up to where nothing is to be applied. */
  readonly from: number;
  revision: number;
  doc: Doc | undefined;
}

async function atOnePosition<Doc extends object, K extends string>(
  parts: Pick<ApplyParts, 'events' | 'store'>,
  of: LogProjection<Doc, K>,
  held: Held,
  pairs: readonly DocumentPair[],
  oldPosition: bigint,
  madePosition: bigint,
  signal: AbortSignal,
): Promise<readonly DocumentPair[]> {
  const raised = pairs.map((pair) => raisedOf(of, pair, Number(oldPosition), Number(madePosition)));
  const from = oldPosition < madePosition ? oldPosition : madePosition;
  const head = await parts.events.head();
  const most = BigInt(Math.max(-1, ...raised.map(({ to }) => to)));
  await bringOn(
    parts,
    of,
    held,
    new Map(raised.map((one) => [one.pair.id, one])),
    { from, to: most < head ? most : head },
    signal,
  );
  return raised.map(({ pair, side, revision, doc }) => {
    const text = doc === undefined ? undefined : { id: pair.id, revision, text: JSON.stringify(doc) };
    return { ...pair, [side]: text };
  });
}

function raisedOf<Doc extends object, K extends string>(
  of: LogProjection<Doc, K>,
  pair: DocumentPair,
  oldPosition: number,
  madePosition: number,
): Raised<Doc> {
  const [old, made] = [pair.old?.revision ?? -1, pair.made?.revision ?? -1];
  const side = old < made ? 'old' : 'made';
  const { revision, doc } = docIn(of, pair[side]);
  return {
    pair,
    side,
    to: Math.max(old, made),
    from: Math.max(revision, side === 'old' ? oldPosition : madePosition),
    revision,
    doc,
  };
}

function docIn<Doc extends object, K extends string>(
  of: LogProjection<Doc, K>,
  stored: StoredText | undefined,
): { readonly revision: number; readonly doc: Doc | undefined } {
  if (stored === undefined) return { revision: -1, doc: undefined };
  const doc: unknown = JSON.parse(stored.text);
  return isDocOf(of, doc) ? { revision: stored.revision, doc } : { revision: -1, doc: undefined };
}

/** The streams that each generation goes on without. */
interface Held {
  readonly old: HeldStreams;
  readonly made: HeldStreams;
}

/**
 * Applies to each document the events it has not seen, up to its `to`; no event that cannot be projected, or that its
 * generation is without.
 */
async function bringOn<Doc extends object, K extends string>(
  parts: Pick<ApplyParts, 'events' | 'store'>,
  of: LogProjection<Doc, K>,
  held: Held,
  raised: ReadonlyMap<string, Raised<Doc>>,
  { from, to }: { readonly from: bigint; readonly to: bigint },
  signal: AbortSignal,
): Promise<void> {
  if (raised.size === 0) return;
  const readers = new StreamReaders<Doc>(parts, of);
  const unreadable = new Set<string>();
  for await (const { events } of readLog(parts.events, { after: from, to, categories: of.categories }, signal)) {
    const faults = await readers.prepare(events);
    for (const stored of events) {
      const position = Number(stored.position);
      try {
        if (faults.has(stored.stream) || unreadable.has(stored.stream)) continue;
        for (const change of readers.read(stored)) {
          const one = raised.get(change.id);
          if (one === undefined || position <= one.from || position > one.to || held[one.side].has(stored)) continue;
          one.doc = changed(of, one.doc, change);
          one.revision = position;
        }
      } catch {
        if (await isDiscarded(parts.store, of.name, stored)) readers.pass(stored);
        else unreadable.add(stored.stream);
      }
    }
  }
}
