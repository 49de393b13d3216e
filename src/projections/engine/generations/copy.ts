// One physical copy of a collection: what stores are asked for where a generation is meant.
import type { Collection } from '../../../stores/read-models.ts';

export interface Copy<Doc extends object, K extends string> extends Collection<Doc, K> {
  readonly generation: number;
}

/** A copy by its name alone. */
export type CopyName = Pick<Copy<object, never>, 'name' | 'generation'>;

export const copyOf = <Doc extends object, K extends string>(
  { name, version, keys, indexes, text, freshness }: Collection<Doc, K>,
  generation: number,
): Copy<Doc, K> => ({
  name,
  version,
  keys,
  indexes,
  generation,
  ...(text !== undefined && { text }),
  ...(freshness !== undefined && { freshness }),
});

/** As records of a copy are called: `payments.3`. */
export const copyId = ({ name, generation }: CopyName): string => `${name}.${generation}`;
