// An act as it stands: it was asked for, or it was not.
import type { Decider } from '../decider.ts';
import { type ActEvent, actCategory } from './events.ts';

/** The revisions of a stream at which a fault is released; without `upTo`: every one from there on. */
export interface Released {
  readonly from: number;
  readonly upTo?: number;
}

export type Act =
  | { readonly status: 'absent' }
  | {
      readonly status: 'requested';
      readonly request: ActEvent['type'];
      readonly at: number;
      /** The releases of a stream: one for each request. */
      readonly released?: readonly Released[];
    };

export const act: Decider<Act, ActEvent> = {
  category: actCategory,
  initial: { status: 'absent' },
  evolve: (state, { type, data }, { at }) => ({
    status: 'requested',
    request: type,
    at,
    ...(type === 'ParkedStreamReleaseRequested' && { released: [...releasedIn(state), releasedBy(data)] }),
  }),
};

const releasedBy = ({
  revision,
  upTo,
}: {
  readonly revision: number;
  readonly upTo?: number | undefined;
}): Released => ({
  from: revision,
  ...(upTo !== undefined && { upTo }),
});

export const releasedIn = (state: Act): readonly Released[] =>
  state.status === 'requested' ? (state.released ?? []) : [];

/** True if a fault at this revision is released: a later one, which nobody knew of, is not. */
export const isReleasedAt = (released: readonly Released[], revision: number): boolean =>
  released.some(({ from, upTo = Number.POSITIVE_INFINITY }) => from <= revision && revision <= upTo);

/** The id of the act that releases a stream: the stream is released once, and its name finds out whether it is. */
export const releaseOf = (stream: string): string => `released-${stream}`;
