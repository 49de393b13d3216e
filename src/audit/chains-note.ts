// What goes to and comes from a thread that checks chains.
import { z } from 'zod';

export const ChainsData = z.object({
  /** The categories of streams that have a chain. */
  chained: z.array(z.string()),
  /** True if the leaves of the Merkle tree are wanted. */
  withLeaves: z.boolean(),
});
export type ChainsData = z.infer<typeof ChainsData>;

/**
 * A page of events. Its parcel has a hash of the name of each stream that begins in it, 8 bytes each; then, if leaves
 * are wanted, the positions of the events, 8 bytes each; then their leaves.
 */
export const ChainsNote = z.object({
  events: z.int(),
  streams: z.int(),
  /** True if every chain is whole, and in the order of the log. */
  isWhole: z.boolean(),
  /** The id of the store's first event, if that is in the page. */
  storeId: z.string().optional(),
});
export type ChainsNote = z.infer<typeof ChainsNote>;
