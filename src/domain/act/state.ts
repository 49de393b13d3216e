// An act as it stands: it was asked for, or it was not.
import type { Decider } from '../decider.ts';
import { type ActEvent, actCategory } from './events.ts';

export type Act =
  | { readonly status: 'absent' }
  | {
      readonly status: 'requested';
      readonly request: ActEvent['type'];
      readonly at: number;
      /** Of a release: the revision from which everything goes on without its stream. */
      readonly releasedFrom?: number;
    };

export const act: Decider<Act, ActEvent> = {
  category: actCategory,
  initial: { status: 'absent' },
  evolve: (_state, { type, data }, { at }) => ({
    status: 'requested',
    request: type,
    at,
    ...(type === 'ParkedStreamReleaseRequested' && { releasedFrom: data.revision }),
  }),
};

/** The id of the act that releases a stream: the stream is released once, and its name finds out whether it is. */
export const releaseOf = (stream: string): string => `released-${stream}`;
