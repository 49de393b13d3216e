// Proves a new generation before it is swapped in: against the live one where there is one, and against breaks in the
// log.
import { Notice } from '../../../../app-error.ts';
import { breakIn } from '../../../../journal/chain.ts';
import type { Digest } from '../../../../stores/document-digest.ts';
import type { EventStore } from '../../../../stores/event-store.ts';
import { idOf, isOneOf } from '../../../../stores/stream-name.ts';
import type { AnyProjection } from '../../../projection.ts';
import type { CatalogGeneration } from '../../generations/catalog-entry.ts';
import type { Copy } from '../../generations/copy.ts';
import { lossOf } from '../../generations/lost.ts';
import { LOG, parkedIn } from '../../parked/parked-records.ts';
import { alone, type Broken, type ProofResult } from './proof.ts';
import type { SideBySideParts } from './side-by-side.ts';

interface ProveParts extends SideBySideParts {
  readonly events: EventStore;
  readonly report: (fault: unknown) => void;
}

/** `broken`: documents of streams end before the break, so two equal ones prove nothing. */
interface Breaks extends Broken {
  /** Streams that are parked as broken, and whole again: the new generation has all of them. */
  readonly mended: readonly string[];
}

/**
 * The breaks that are parked and matter to the projection; none for documents over many streams, which pass over a
 * break or wait.
 */
export async function breaksOf({ store, events }: ProveParts, { kind, categories }: AnyProjection): Promise<Breaks> {
  const broken: string[] = [];
  const released: string[] = [];
  const mended: string[] = [];
  const parked = kind === 'stream' ? await parkedIn(store, [LOG]) : [];
  for (const { stream, isReleased } of parked) {
    if (!isOneOf(categories, stream)) continue;
    if ((await breakIn(events, stream)) === undefined) mended.push(stream);
    else (isReleased === true ? released : broken).push(stream);
  }
  return { broken, released, mended };
}

interface ToProve<Doc extends object, K extends string> {
  readonly made: Copy<Doc, K>;
  /** The digest of the new generation, if it is known without reading it. */
  readonly digest: Digest | undefined;
  readonly before: CatalogGeneration | undefined;
  /** By their names. */
  readonly breaks: Broken;
  /** Compares both; `ids` are those of broken streams. */
  readonly compare: (before: Copy<object, never>, ids: Broken) => Promise<ProofResult>;
}

/**
 * Compares the new generation with the one before it; with nothing where there is none, or where that one has lost
 * documents.
 */
export async function prove<Doc extends object, K extends string>(
  parts: ProveParts,
  { made, digest, before, breaks, compare }: ToProve<Doc, K>,
): Promise<ProofResult> {
  const ids = { broken: breaks.broken.map(idOf), released: breaks.released.map(idOf) };
  if (before === undefined) return alone(parts, made, digest, ids.broken);
  const { version, generation } = before;
  const old: Copy<object, never> = { name: made.name, version, keys: {}, indexes: [], generation };
  try {
    return await compare(old, ids);
  } catch (fault) {
    const why = await lossOf(parts.store, old, fault);
    if (why === undefined) throw fault;
    parts.report(new Notice(`The read model ${old.name} ${why}: there is nothing to compare the new one with.`));
    const single = await alone(parts, made, digest, ids.broken);
    return { ...single, different: single.documents };
  }
}
