// What goes to and comes from a thread that checks chains.
import { z } from 'zod';

/** The categories of streams that have a chain. */
export const ChainsData = z.array(z.string());
export type ChainsData = z.infer<typeof ChainsData>;

/** A share of the log. Its parcel has a hash of the name of each stream, 8 bytes each. */
export const ChainsNote = z.object({
  events: z.int(),
  /** True if every chain is whole, and in the order of the log. */
  isWhole: z.boolean(),
  /** The id of the store's first event, if that is in the share. */
  storeId: z.string().optional(),
});
export type ChainsNote = z.infer<typeof ChainsNote>;
