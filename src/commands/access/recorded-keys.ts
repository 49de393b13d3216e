// API keys whose documents equal the folds of their streams: the read models answer quickly, and only the log is
// believed.
import { isDeepStrictEqual } from 'node:util';
import { AppError, Notice } from '../../app-error.ts';
import type { ApiKey } from '../../domain/api-key.ts';
import { boundedCache } from '../../journal/bounded-cache.ts';
import { StoreUnavailable } from '../../stores/store-unavailable.ts';
import { type World, within } from '../../world.ts';
import type { KeyReader } from './authenticate.ts';
import type { AccessNeeds, KeyDocument, KeyDocuments } from './needs.ts';

interface HeldKey extends KeyDocument {
  /** The time of its comparison with its stream, of World.monotonic. */
  readonly at: number;
}

/** Keys that a process remembers to be as recorded. */
const REMEMBERED = 10_000;
/**
 * A key in use is compared with its stream again after this: a document could be put back before this process saw the
 * newer one.
 */
const HOLDS_MS = 1_000;
/**
 * A change that is appended is projected within this, as a rule; an older document is waited for so long, and refused
 * then.
 */
const PROJECTED_WITHIN_MS = 2_000;
const LOOK_EVERY_MS = 20;
/** The interval at which refused documents are looked at again, so that a mended document is noticed. */
const LOOK_AGAIN_MS = 5_000;

/**
 * A read-model store is not where keys are decided: an administrator, or a backup that was put back, changes a document
 * there without an event. So a document counts only while it is, in every field, the fold of its stream at the stream's
 * head. A document that was compared counts without another look at the log as long as it is the same one, for a
 * second.
 */
export class RecordedKeys implements KeyReader {
  readonly #keys: AccessNeeds['apiKeys'];
  readonly #documents: KeyDocuments;
  readonly #world: World;
  readonly #report: (fault: unknown) => void;
  readonly #held = boundedCache<HeldKey>(REMEMBERED);
  /** Documents that differ from their streams, by key id. */
  readonly #refused = boundedCache<HeldKey>(REMEMBERED);

  constructor({ apiKeys, world, report }: Pick<AccessNeeds, 'apiKeys' | 'world' | 'report'>, documents: KeyDocuments) {
    this.#keys = apiKeys;
    this.#documents = documents;
    this.#world = world;
    this.#report = report;
  }

  /** The streams of keys that are refused because their documents differ from the record; for operators. */
  get refused(): readonly string[] {
    return [...this.#refused.keys()].map((keyId) => this.#keys.name(keyId));
  }

  /** At once, for the document that was compared last: nearly every request. */
  peek(keyId: string): ApiKey | undefined {
    const found = this.#documents.peek(keyId);
    const held = found === undefined ? undefined : this.#held.get(keyId);
    return held !== undefined && held.doc === found?.doc && this.#isFresh(held) ? held.doc : undefined;
  }

  /**
   * Undefined for an unknown key, and for a key whose document differs from the record. Rejects with StoreUnavailable.
   */
  async read(keyId: string): Promise<ApiKey | undefined> {
    const found = await this.#documents.read(keyId);
    if (found === undefined) return undefined;
    const refused = this.#refused.get(keyId);
    if (refused !== undefined && this.#isFresh(refused) && isSame(refused, found)) return undefined;
    const held = this.#held.get(keyId);
    // A store that keeps documents returns another object after it has read the document again; for the other stores
    // every document is new.
    const isKept = this.#documents.peek(keyId)?.doc === found.doc;
    // An equal document: another request has compared it in the meantime, as concurrent requests all arrive here at
    // once.
    const isHeld = held !== undefined && (held.doc === found.doc || (!isKept && isSame(held, found)));
    if (isHeld && this.#isFresh(held)) return held.doc;
    return this.#compare(keyId, found, held !== undefined && isSame(held, found) ? held : undefined);
  }

  /**
   * Looks again at refused documents, until the signal aborts: a document that was mended, by a rebuild, is told and
   * forgotten.
   */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#world.sleep(LOOK_AGAIN_MS, signal).catch(() => undefined);
      // a store is unavailable: next time
      for (const keyId of [...this.#refused.keys()]) await this.#lookAgain(keyId).catch(() => undefined);
    }
  }

  async #lookAgain(keyId: string): Promise<void> {
    const found = await this.#documents.read(keyId);
    if (found !== undefined) await this.#compare(keyId, found, undefined);
  }

  /** `before`: the same document, as it was compared some time ago. */
  async #compare(keyId: string, found: KeyDocument, before: HeldKey | undefined): Promise<ApiKey | undefined> {
    // One request a second looks at the log; the others go on with the finding of a second ago.
    if (before !== undefined) this.#held.set(keyId, { ...before, doc: found.doc, at: this.#world.monotonic() });
    const recorded = await this.#recorded(keyId, found).catch((fault: unknown) => {
      if (before !== undefined && fault instanceof StoreUnavailable) return before; // the log takes no change either
      this.#held.delete(keyId);
      throw fault;
    });
    if (recorded === undefined) return this.#refuse(keyId, found);
    this.#held.set(keyId, { ...recorded, at: this.#world.monotonic() });
    if (this.#refused.delete(keyId))
      this.#report(new Notice(`The document of ${this.#keys.name(keyId)} matches the log again.`));
    return recorded.doc;
  }

  /** The document when it equals its stream's fold, or comes to within moments; undefined if it does not. */
  async #recorded(keyId: string, first: KeyDocument): Promise<KeyDocument | undefined> {
    const until = this.#world.monotonic() + PROJECTED_WITHIN_MS;
    for (let found: KeyDocument | undefined = first; found !== undefined; found = await this.#documents.read(keyId)) {
      const folded = await within(this.#world, PROJECTED_WITHIN_MS, () => this.#keys.current(keyId));
      if (folded === 'timeout')
        throw new StoreUnavailable(`The event store did not answer within ${PROJECTED_WITHIN_MS} ms for ${keyId}`);
      const { state, head } = folded;
      if (head.revision === found.revision) return isSameKey(state, found.doc) ? found : undefined;
      this.#held.delete(keyId); // of an older revision: no request goes on with it
      if (this.#world.monotonic() >= until) return undefined;
      // appended a moment ago, and not projected yet
      await this.#world.sleep(LOOK_EVERY_MS, new AbortController().signal);
    }
    return undefined;
  }

  #refuse(keyId: string, found: KeyDocument): undefined {
    const known = this.#refused.get(keyId);
    if (known === undefined || !isSame(known, found))
      this.#report(notAsRecorded(this.#keys.name(keyId), found.revision));
    this.#held.delete(keyId);
    this.#refused.set(keyId, { ...found, at: this.#world.monotonic() });
    return undefined;
  }

  #isFresh({ at }: HeldKey): boolean {
    return this.#world.monotonic() - at < HOLDS_MS;
  }
}

const notAsRecorded = (stream: string, revision: number): AppError =>
  new AppError(
    'KeyNotAsRecorded',
    `The document of ${stream} (revision ${revision}) in the read model api-keys differs from the log: somebody changed it there,  ` +
      `or restored an older version. The key is refused. Find out who did it, then run \`counterfoil projections rebuild api-keys\``,
  );

const isSame = (a: KeyDocument, b: KeyDocument): boolean =>
  a.revision === b.revision && (a.doc === b.doc || isDeepStrictEqual(a.doc, b.doc));

/** As JSON, where a member without a value is none: a document that was read has been through it, a fold has not. */
const isSameKey = (folded: ApiKey, doc: ApiKey): boolean =>
  isDeepStrictEqual(JSON.parse(JSON.stringify(folded)), JSON.parse(JSON.stringify(doc)));
