// A connection as it stands.
import type { Decider } from '../decider.ts';
import { type ConnectionEvent, connectionCategory } from './events.ts';

type ConnectionState =
  | { readonly status: 'absent' }
  | {
      readonly status: 'active' | 'disabled';
      readonly accountId: string;
      readonly processor: string;
      readonly name: string;
      /** Name to `env:NAME` or `file:PATH`. */
      readonly secrets: { readonly [name: string]: string };
      /** These in milliseconds since the epoch. */
      readonly createdAt: number;
      readonly disabledAt?: number;
    };

export const connection: Decider<ConnectionState, ConnectionEvent> = {
  category: connectionCategory,
  initial: { status: 'absent' },
  evolve(state, { type, data }, { at }) {
    if (type === 'ConnectionCreated') return { status: 'active', ...data };
    if (state.status === 'absent') throw new Error(`${type} before ConnectionCreated`);
    switch (type) {
      case 'ConnectionChanged': {
        const { name = state.name, secrets = state.secrets } = data;
        return { ...state, name, secrets };
      }
      case 'ConnectionDisabled':
        return { ...state, status: 'disabled', disabledAt: at };
      default:
        return type satisfies never;
    }
  },
};
