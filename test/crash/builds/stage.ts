// The stages of a read model's build at which a test kills the process: stops the call that reaches one for good.
import { z } from 'zod';
import {
  type CatalogEntry,
  catalogEntries,
  type GenerationState,
} from '../../../src/projections/engine/generations/catalog-entry.ts';
import type { Builder, ReadModelStore } from '../../../src/stores/read-models.ts';
import { hookedReadModels } from '../hooked-stores.ts';

/**
 * `claimed`: the right to build is in the catalog. `filled`: the documents are in the store. `live`: the catalog says
 * so.
 */
export const STAGES = ['claimed', 'filled', 'live'] as const;

export const Stage = z.object({ model: z.string(), stage: z.enum(STAGES) });
export type Stage = z.output<typeof Stage>;

/**
 * The store of a process that gets as far as the stage: the step is done, `reached` is called, and the step's caller
 * waits for good.
 */
export function stoppingAt(store: ReadModelStore, { model, stage }: Stage, reached: () => void): ReadModelStore {
  const stop = (): Promise<never> => {
    reached();
    return new Promise(() => undefined);
  };
  const state = stage === 'filled' ? undefined : ({ claimed: 'building', live: 'live' } as const)[stage];
  return {
    ...hookedReadModels(store, () => undefined),
    write: async (of, rows) => {
      const written = await store.write(of, rows);
      const entry = of.name === catalogEntries.name ? rows.find(({ id }) => id === model)?.doc : undefined;
      return entry !== undefined && state !== undefined && written.includes(model) && statesIn(entry).includes(state)
        ? stop()
        : written;
    },
    build: async (of) => {
      const builder = await store.build(of);
      return of.name === model && stage === 'filled' ? finishing(builder, stop) : builder;
    },
  };
}

const statesIn = (entry: object | CatalogEntry): readonly GenerationState[] =>
  'generations' in entry ? entry.generations.map(({ state }) => state) : [];

/** A builder that never says that it has finished. */
const finishing = (builder: Builder, stop: () => Promise<never>): Builder => ({
  get: (ids) => builder.get(ids),
  write: (rows) => builder.write(rows),
  abort: () => builder.abort(),
  finish: async () => {
    await builder.finish();
    await stop();
  },
});
