// An account as it stands.
import type { Decider } from '../decider.ts';
import { type AccountEvent, accountCategory } from './events.ts';

export type Account =
  | { readonly status: 'absent' }
  | {
      readonly status: 'open';
      readonly name: string;
      /** Milliseconds since the epoch. */
      readonly createdAt: number;
    };

export const account: Decider<Account, AccountEvent> = {
  category: accountCategory,
  initial: { status: 'absent' },
  evolve(_account, { type, data }, { at }) {
    switch (type) {
      case 'AccountCreated':
        return { status: 'open', name: data.name, createdAt: at };
      default:
        return type satisfies never;
    }
  },
};
