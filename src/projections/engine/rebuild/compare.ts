// Proves a new generation against the live one: every document at equal revision, the older one folded up.
import type { Collection, StoredText } from '../../../stores/read-models.ts';
import { isDocOf } from '../../../stores/typed-doc.ts';
import type { StreamProjection } from '../../projection.ts';
import { type ApplyParts, foldStream } from '../apply.ts';
import type { Copy } from '../catalog.ts';
import { canonical, Digest } from './digest.ts';

export interface Comparison {
  readonly documentsBefore: number;
  readonly documents: number;
  readonly digestBefore: string;
  readonly digestAfter: string;
  /** Documents that differ, or are on one side only, or whose stream is broken. */
  readonly different: number;
  /** Ids of the first of them. */
  readonly examples: readonly string[];
}

const PAGE = 500;
const EXAMPLES = 20;

/**
 * Walks both generations by id. Of another version nothing can be folded up, so each side counts as it is.
 * Both may be written meanwhile: a document that lags, or is missing, on one side is folded from the log to where the other is.
 * `broken`: ids of documents whose streams are; two that stand before the same break prove nothing.
 */
export async function compare<Doc extends object, K extends string>(
  parts: Pick<ApplyParts, 'events' | 'store' | 'heads'>,
  of: StreamProjection<Doc, K>,
  before: Copy<object, never>,
  after: Copy<Doc, K>,
  versionChanged: boolean,
  broken: readonly string[],
): Promise<Comparison> {
  const proof = new Proof(broken);
  for await (const { id, old, made } of sideBySide(parts, before, after)) {
    const [left, right] = versionChanged ? [old, made] : await atEqualRevision(parts, of, id, old, made);
    proof.add(id, left, right);
  }
  return proof.result;
}

/** The findings of a comparison so far. */
export class Proof {
  readonly #before = new Digest();
  readonly #after = new Digest();
  readonly #broken: ReadonlySet<string>;
  readonly #examples: string[];
  #different: number;

  /** `broken`: ids that count as different, whatever their documents are. */
  constructor(broken: readonly string[]) {
    this.#broken = new Set(broken);
    this.#examples = broken.slice(0, EXAMPLES);
    this.#different = broken.length;
  }

  /** The documents of one id, brought to the same place. */
  add(id: string, before: StoredText | undefined, after: StoredText | undefined): void {
    const same = isSame(before, after);
    if (after !== undefined) this.#after.add(after);
    if (before !== undefined) this.#before.add(same ? after : before);
    if (same || this.#broken.has(id)) return;
    this.#different += 1;
    if (this.#examples.length < EXAMPLES) this.#examples.push(id);
  }

  get result(): Comparison {
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

/** A first generation has nothing to be compared with; its digest is for comparing later ones. */
export async function alone<Doc extends object, K extends string>(
  { store }: Pick<ApplyParts, 'store'>,
  made: Copy<Doc, K>,
  known: Digest | undefined,
  broken: readonly string[],
): Promise<Comparison> {
  const digest = known ?? (await digestOf(store, made));
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

async function digestOf<Doc extends object, K extends string>(store: ApplyParts['store'], of: Copy<Doc, K>): Promise<Digest> {
  const digest = new Digest();
  for (let after = ''; ; ) {
    const page = await store.texts(of, after, PAGE);
    for (const one of page) digest.add(one);
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return digest;
    after = last.id;
  }
}

/** The documents of an id on both sides. */
export interface Pair {
  readonly id: string;
  readonly old: StoredText | undefined;
  readonly made: StoredText | undefined;
}

/** Member order is not content: a document that was once read from its text may have another order than a fresh one. */
const isSame = (left: StoredText | undefined, right: StoredText | undefined): right is StoredText =>
  left !== undefined &&
  right !== undefined &&
  left.revision === right.revision &&
  (left.text === right.text || canonical(left.text) === canonical(right.text));

export async function* sideBySide<Doc extends object, K extends string>(
  { store }: Pick<ApplyParts, 'store'>,
  before: Copy<object, never>,
  after: Copy<Doc, K>,
): AsyncIterable<Pair> {
  const olds = pagesOf(store, before);
  const mades = pagesOf(store, after);
  for (;;) {
    const [old, made] = [await olds.peek(), await mades.peek()];
    if (old === undefined && made === undefined) return;
    const order = old === undefined ? 1 : made === undefined ? -1 : Buffer.compare(Buffer.from(old.id), Buffer.from(made.id));
    const id = order <= 0 ? old?.id : made?.id;
    if (order <= 0) olds.next();
    if (order >= 0) mades.next();
    yield { id: id ?? '', old: order <= 0 ? old : undefined, made: order >= 0 ? made : undefined };
  }
}

const pagesOf = <Doc extends object, K extends string>(store: ApplyParts['store'], of: Collection<Doc, K>): Texts =>
  new Texts((after) => store.texts(of, after, PAGE));

/** Documents by id, read in pages. */
class Texts {
  readonly #read: (after: string) => Promise<readonly StoredText[]>;
  #page: readonly StoredText[] = [];
  #place = 0;
  #after = '';
  #ended = false;

  constructor(read: (after: string) => Promise<readonly StoredText[]>) {
    this.#read = read;
  }

  /** A promise only at the end of a page. */
  peek(): StoredText | undefined | Promise<StoredText | undefined> {
    const found = this.#page[this.#place];
    return found !== undefined || this.#ended ? found : this.#turn();
  }

  next(): void {
    this.#after = this.#page[this.#place]?.id ?? this.#after;
    this.#place += 1;
  }

  async #turn(): Promise<StoredText | undefined> {
    this.#page = await this.#read(this.#after);
    this.#place = 0;
    this.#ended = this.#page.length === 0;
    return this.#page[0];
  }
}

async function atEqualRevision<Doc extends object, K extends string>(
  parts: Pick<ApplyParts, 'events' | 'store' | 'heads'>,
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
  parts: Pick<ApplyParts, 'events' | 'store' | 'heads'>,
  of: StreamProjection<Doc, K>,
  id: string,
  from: StoredText | undefined,
  revision: number,
): Promise<StoredText | undefined> {
  const doc: unknown = from === undefined ? undefined : JSON.parse(from.text);
  const row = from === undefined || !isDocOf(of, doc) ? undefined : { id, revision: from.revision, doc };
  const { reached } = await foldStream(parts, of, `${of.category}-${id}`, row, revision);
  return reached === undefined ? undefined : { id, revision: reached.revision, text: JSON.stringify(reached.doc) };
}
