// A connection as it stands.
import type { Decider } from '../decider.ts';
import { type ConnectionCreated, type ConnectionEvent, connectionCategory } from './events.ts';

export type ConnectionState = { readonly status: 'absent' } | ExistingConnection;
export interface ExistingConnection extends ConnectionCreated {
  readonly status: 'active' | 'disabled';
  /** Milliseconds since the epoch. */
  readonly disabledAt?: number;
}

export const connection: Decider<ConnectionState, ConnectionEvent> = {
  category: connectionCategory,
  initial: { status: 'absent' },
  evolve(state, { type, data }, { at }) {
    if (type === 'ConnectionCreated') return { status: 'active', ...data };
    if (state.status === 'absent') throw new Error(`${type} before ConnectionCreated`);
    switch (type) {
      case 'ConnectionChanged': {
        const { name = state.name, secrets = state.secrets, publishableKey = state.publishableKey } = data;
        return { ...state, name, secrets, ...(publishableKey !== undefined && { publishableKey }) };
      }
      case 'ConnectionDisabled':
        return { ...state, status: 'disabled', disabledAt: at };
      default:
        return type satisfies never;
    }
  },
};
