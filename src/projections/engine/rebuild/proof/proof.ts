// Proves a new generation before it is swapped in: against the live one where there is one, and against breaks in the
// log. The findings: how many documents there are on both sides, their digests, and which of them differ.
import { Notice } from '../../../../app-error.ts';
import { breakIn } from '../../../../journal/chain.ts';
import { Digest, hashOfDocument } from '../../../../stores/document-digest.ts';
import type { EventStore } from '../../../../stores/event-store.ts';
import type { StoredText } from '../../../../stores/read-models.ts';
import { idOf, isOneOf } from '../../../../stores/stream-name.ts';
import type { AnyProjection } from '../../../projection.ts';
import type { CatalogGeneration } from '../../generations/catalog-entry.ts';
import type { Copy } from '../../generations/copy.ts';
import { lossOf } from '../../generations/lost.ts';
import { LOG, parkedIn } from '../../parked/parked-records.ts';
import { type SideBySideParts, textsOf } from './side-by-side.ts';

export interface ProofResult {
  readonly documentsBefore: number;
  readonly documents: number;
  readonly digestBefore: string;
  readonly digestAfter: string;
  /** Documents that differ, or are on one side only, or whose stream is broken. */
  readonly different: number;
  /** Ids of the first of them. */
  readonly examples: readonly string[];
}

const EXAMPLES = 20;

/** Broken streams that matter to the documents, by their ids or names. */
export interface Broken {
  /** Each counts as different, even where its documents are equal. */
  readonly broken: readonly string[];
  /**
   * An operator let everything continue without the events from the break on: an event that the live generation had
   * read before is not a difference.
   */
  readonly released: readonly string[];
}

export class Proof {
  readonly #before = new Digest();
  readonly #after = new Digest();
  readonly #broken: ReadonlySet<string>;
  readonly #released: ReadonlySet<string>;
  readonly #examples: string[];
  #different: number;

  constructor({ broken, released }: Broken) {
    this.#broken = new Set(broken);
    this.#released = new Set(released);
    this.#examples = broken.slice(0, EXAMPLES);
    this.#different = broken.length;
  }

  /** The documents of one id, brought to the same place. */
  add(id: string, live: StoredText | undefined, after: StoredText | undefined): void {
    const isFurther = (live?.revision ?? -1) > (after?.revision ?? -1);
    const before = isFurther && this.#released.has(id) ? after : live;
    if (before === undefined && after === undefined) return;
    const same = isSame(before, after);
    const hashed = after === undefined ? undefined : hashOfDocument(after);
    if (hashed !== undefined) this.#after.addHash(hashed);
    if (before !== undefined) this.#before.addHash(same && hashed !== undefined ? hashed : hashOfDocument(before));
    if (same || this.#broken.has(id)) return;
    this.#different += 1;
    if (this.#examples.length < EXAMPLES) this.#examples.push(id);
  }

  get result(): ProofResult {
    return {
      documentsBefore: this.#before.documents,
      documents: this.#after.documents,
      digestBefore: String(this.#before),
      digestAfter: String(this.#after),
      different: this.#different,
      examples: this.#examples,
    };
  }
}

/** Member order is not content: a document that was once read from its text may have another order than a fresh one. */
const isSame = (left: StoredText | undefined, right: StoredText | undefined): right is StoredText =>
  left !== undefined &&
  right !== undefined &&
  left.revision === right.revision &&
  (left.text === right.text || canonical(left.text) === canonical(right.text));

/**
 * A first generation has nothing to be compared with; its digest is for comparing later ones. `known`: its digest,
 * without reading it.
 */
export async function alone<Doc extends object, K extends string>(
  parts: SideBySideParts,
  made: Copy<Doc, K>,
  known: Digest | undefined,
  broken: readonly string[],
): Promise<ProofResult> {
  const digest = known ?? (await digestOf(parts, made));
  const nothing = String(new Digest());
  return {
    documentsBefore: 0,
    documents: digest.documents,
    digestBefore: nothing,
    digestAfter: String(digest),
    different: broken.length,
    examples: broken.slice(0, EXAMPLES),
  };
}

async function digestOf<Doc extends object, K extends string>(
  { store, world }: SideBySideParts,
  of: Copy<Doc, K>,
): Promise<Digest> {
  const digest = new Digest();
  const texts = textsOf(store, of, () => world.sleep(0, new AbortController().signal));
  for (let one = await texts.peek(); one !== undefined; one = await texts.peek()) {
    digest.add(one);
    texts.next();
  }
  return digest;
}

/** JSON text with the members of every object in one order: two texts of the same document become the same. */
export const canonical = (text: string): string => JSON.stringify(sorted(JSON.parse(text)));

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, sorted(member)]),
  );
}

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
