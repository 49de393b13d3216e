// A cache that keeps so many of the newest values, and takes room for its values only.
import { LRUCache } from 'lru-cache';

type Besides<Value> = Pick<LRUCache.OptionsBase<string, Value, unknown>, 'ttl' | 'ttlAutopurge' | 'dispose'>;

/**
 * At most `most` values (at least 1), the longest unused of which go first. The bound is one of size, each value
 * counting for 1: a bound on the number would make room for all of them at once.
 */
export const boundedCache = <Value extends object | true | number>(
  most: number,
  besides: Besides<Value> = {},
): LRUCache<string, Value> => new LRUCache<string, Value>({ maxSize: most, sizeCalculation: () => 1, ...besides });
