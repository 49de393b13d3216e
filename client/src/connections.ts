// The connections of the account to processors (contract §4, "Connections"). Needs transactions:retrieve.
import type { Caller, CallOptions } from './call.ts';
import { List } from './list.ts';
import type { Connection } from './types.ts';

export interface Connections {
  /** Oldest first, the built-in sandbox before them. Circuits and last answers are those of the node that responds. */
  list(options?: CallOptions): List<Connection>;
}

export const connectionsOf = (caller: Caller): Connections => ({
  list: (options = {}) => new List(() => caller.read('GET /connections', {}, options)),
});
