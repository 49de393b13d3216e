// Checkpoints of the log: signed receipts that a merchant keeps, to show later that nothing was changed (contract §11).
// Needs transactions:retrieve.
import type { Caller, CallOptions } from './call.ts';
import { List } from './list.ts';
import type { Checkpoint } from './types.ts';

export interface Checkpoints {
  /**
   * Newest first; they are of the whole store, and the same for each account. Each is a file for `counterfoil-verify`.
   */
  list(filter?: { readonly limit?: number }, options?: CallOptions): List<Checkpoint>;
}

export const checkpointsOf = (caller: Caller): Checkpoints => ({
  list: (filter = {}, options = {}) =>
    new List((cursor) =>
      caller.read('GET /audit/checkpoints', { query: { ...filter, ...(cursor !== undefined && { cursor }) } }, options),
    ),
});
