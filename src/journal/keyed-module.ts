// What a thread is given to read events with their keys: the module to load, and the data for it.
import { z } from 'zod';

/** The URL of keyed-events-worker, from source or compiled. */
export const keyedModule = new URL(
  `./keyed-events-worker${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`,
  import.meta.url,
);

/** Cloned on its way to the thread. `wrapping`: what opens the keys of the key store. */
export const KeyedWork = z.object({
  keys: z.object({ moduleUrl: z.string(), data: z.unknown() }),
  wrapping: z.object({ keys: z.array(z.instanceof(Uint8Array)), takesUnbound: z.boolean() }),
  moduleUrl: z.string(),
  data: z.unknown(),
});
export type KeyedWork = z.infer<typeof KeyedWork>;
