// One physical copy of a collection: what stores are asked for where a generation is meant.
import type { Collection } from '../../../stores/read-models.ts';

export interface Copy<Doc extends object, K extends string> extends Collection<Doc, K> {
  readonly generation: number;
}

/** A copy by its name alone. */
export type CopyName = Pick<Copy<object, never>, 'name' | 'generation'>;

/** By collection and generation. */
const COPIES = new WeakMap<object, Map<number, unknown>>();

/** Always the same object for a generation of a collection: stores remember by it what they have opened. */
export function copyOf<Doc extends object, K extends string>(of: Collection<Doc, K>, generation: number): Copy<Doc, K> {
  const copies = COPIES.get(of) ?? new Map<number, unknown>();
  const known = copies.get(generation);
  if (known !== undefined) return known as Copy<Doc, K>;
  const { name, version, keys, indexes, text, freshness } = of;
  const copy = {
    name,
    version,
    keys,
    indexes,
    generation,
    ...(text !== undefined && { text }),
    ...(freshness !== undefined && { freshness }),
  };
  COPIES.set(of, copies.set(generation, copy));
  return copy;
}

/** As records of a copy are called: `payments.3`. */
export const copyId = ({ name, generation }: CopyName): string => `${name}.${generation}`;
