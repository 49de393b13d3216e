// A list that is read page by page, as far as its reader goes.
import type { Answered } from './call.ts';

export interface Page<Item> {
  readonly data: readonly Item[];
  /** Absent on the last page. */
  readonly nextCursor?: string;
}

/** Reads the page at the cursor; undefined: the first. */
export type ReadPage<Item> = (cursor: string | undefined) => Promise<Answered<Page<Item>>>;

/** `for await (const item of list)` asks for the next page when it is needed, and for none after `break`. */
export class List<Item> implements AsyncIterable<Item> {
  readonly #read: ReadPage<Item>;

  constructor(read: ReadPage<Item>) {
    this.#read = read;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const { data } of this.pages()) yield* data;
  }

  /** The pages, from the one at `cursor` on: a `nextCursor` of the same list with the same filters. */
  async *pages(cursor?: string): AsyncGenerator<Answered<Page<Item>>, void, undefined> {
    for (let at = cursor; ; ) {
      const page = await this.#read(at);
      yield page;
      if (page.nextCursor === undefined) return;
      if (page.nextCursor === at)
        throw new TypeError('the list does not advance: a page names its own cursor as the next one');
      at = page.nextCursor;
    }
  }

  /** At most `most` items, as an array. */
  async first(most: number): Promise<readonly Item[]> {
    const items: Item[] = [];
    if (most < 1) return items;
    for await (const item of this) if (items.push(item) >= most) break;
    return items;
  }
}
