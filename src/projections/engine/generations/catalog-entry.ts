// The entry of a read model in the catalog: its generations, and who may read and write each.
import type { Collection } from '../../../stores/read-models.ts';

/**
 * building: its builder alone writes it. joining: every process writes it besides the live one. live: read and written.
 * kept: was live, stays for going back and for nodes of its version.
 */
export type GenerationState = 'building' | 'joining' | 'live' | 'kept';

export interface CatalogGeneration {
  readonly generation: number;
  /** The version of the projection that filled it. */
  readonly version: number;
  readonly state: GenerationState;
  /** While building or joining: who does it, and a count that it raises as a sign of life. */
  readonly builder?: string;
  readonly beat?: number;
}

export interface CatalogEntry {
  /** Numbers are never used twice. */
  readonly next: number;
  readonly generations: readonly CatalogGeneration[];
}

export const catalogEntries: Collection<CatalogEntry, never> = { name: 'catalog', version: 1, keys: {}, indexes: [] };

/** The generations that code of this version can read. */
export const readableIn = (entry: CatalogEntry | undefined, version: number): readonly CatalogGeneration[] =>
  (entry?.generations ?? []).filter((one) => one.version === version && (one.state === 'live' || one.state === 'kept'));

/**
 * The live generation, where the code's version filled it; else the newest kept one of that version (a node of the
 * version before).
 */
export function ownOf(entry: CatalogEntry | undefined, version: number): number | undefined {
  const readable = readableIn(entry, version);
  return (readable.find(({ state }) => state === 'live') ?? newestFirst(readable)[0])?.generation;
}

export const newestFirst = (generations: readonly CatalogGeneration[]): readonly CatalogGeneration[] =>
  generations.toSorted((a, b) => b.generation - a.generation);

export const isUnfinished = ({ state }: CatalogGeneration): boolean => state === 'building' || state === 'joining';
export const unfinishedIn = (entry: CatalogEntry | undefined): CatalogGeneration | undefined =>
  entry?.generations.find(isUnfinished);
