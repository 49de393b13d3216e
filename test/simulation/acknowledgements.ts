// The answers that clients received: each must for ever be the fold of the log at the revision that it names.
import type { Completed } from '../../src/commands/caller.ts';

export interface Acknowledgement {
  readonly key: string;
  readonly revision: number;
  /** The document as JSON. It is kept whole: hashing each would cost more than the memory. */
  readonly text: string;
}

export class Acknowledgements {
  /** By resource id. */
  readonly #byId = new Map<string, Acknowledgement[]>();
  /** By key, for calls that reach no processor: their first answer is final. */
  readonly #byKey = new Map<string, Acknowledgement>();
  readonly #changed: string[] = [];
  #count = 0;

  get count(): number {
    return this.#count;
  }

  note(key: string, { id, revision, doc }: Completed<unknown>): void {
    const list = this.#byId.get(id);
    const one = { key, revision, text: JSON.stringify(doc) };
    this.#count += 1;
    if (list === undefined) this.#byId.set(id, [one]);
    else list.push(one);
    if (!id.startsWith('pay_')) this.#compare(one);
  }

  #compare(one: Acknowledgement): void {
    const first = this.#byKey.get(one.key);
    if (first === undefined) this.#byKey.set(one.key, one);
    else if (first.text !== one.text || first.revision !== one.revision)
      this.#changed.push(`${one.key}: the second answer differs from the first`);
  }

  /** Repeated calls whose second answer differs from the first. */
  get changed(): readonly string[] {
    return this.#changed;
  }

  get ids(): Iterable<string> {
    return this.#byId.keys();
  }

  /** The acknowledgements of a resource at `revision` that are not `doc`. */
  wrongAt(id: string, revision: number, doc: unknown): readonly string[] {
    const there = this.#byId.get(id)?.filter((one) => one.revision === revision) ?? [];
    if (there.length === 0) return [];
    const text = JSON.stringify(doc);
    return there
      .filter((one) => one.text !== text)
      .map(({ key }) => `${key}: the answer for ${id}@${revision} is not what the log holds`);
  }

  /** The acknowledgements of a resource beyond `revision`, where its stream ends. */
  beyond(id: string, revision: number): readonly string[] {
    return (this.#byId.get(id) ?? [])
      .filter((one) => one.revision > revision)
      .map((one) => `${one.key}: ${id}@${one.revision} is lost`);
  }
}
