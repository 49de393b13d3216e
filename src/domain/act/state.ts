// An act as it stands: it was asked for, or it was not.
import type { Decider } from '../decider.ts';
import { type ActEvent, actCategory } from './events.ts';

export type Act = { readonly status: 'absent' } | { readonly status: 'requested'; readonly request: ActEvent['type']; readonly at: number };

export const act: Decider<Act, ActEvent> = {
  category: actCategory,
  initial: { status: 'absent' },
  evolve: (_state, { type }, { at }) => ({ status: 'requested', request: type, at }),
};
