// Walks two generations of a read model by id, side by side, in pages.
import { byBytes } from '../../../../stores/byte-order.ts';
import type { Collection, DocumentPair, ReadModelStore, StoredText } from '../../../../stores/read-models.ts';
import type { World } from '../../../../world.ts';
import type { Copy } from '../../generations/copy.ts';

const PAGE = 500;

export interface SideBySideParts {
  readonly store: ReadModelStore;
  readonly world: Pick<World, 'sleep'>;
}

export async function* sideBySide<Doc extends object, K extends string>(
  { store, world }: SideBySideParts,
  before: Copy<object, never>,
  after: Copy<Doc, K>,
): AsyncIterable<DocumentPair> {
  const rest = (): Promise<void> => world.sleep(0, new AbortController().signal);
  const olds = textsOf(store, before, rest);
  const mades = textsOf(store, after, rest);
  for (;;) {
    const [old, made] = [await olds.peek(), await mades.peek()];
    if (old === undefined && made === undefined) return;
    const order = old === undefined ? 1 : made === undefined ? -1 : byBytes(old.id, made.id);
    const id = order <= 0 ? old?.id : made?.id;
    if (order <= 0) olds.next();
    if (order >= 0) mades.next();
    yield { id: id ?? '', old: order <= 0 ? old : undefined, made: order >= 0 ? made : undefined };
  }
}

/** `rest` comes before each page: requests of the same thread go first. */
export const textsOf = <Doc extends object, K extends string>(
  store: ReadModelStore,
  of: Collection<Doc, K>,
  rest: () => Promise<void>,
): Texts => new Texts(async (after) => rest().then(() => store.texts(of, after, PAGE)));

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
