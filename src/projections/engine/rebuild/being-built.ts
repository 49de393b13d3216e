// A read model that is built, as the reader of the log sees it: what it wants, and how it is told that it has it.
import type { Digest } from '../../../stores/document-digest.ts';
import type { StoredEvent } from '../../../stores/event-store.ts';
import type { Builder } from '../../../stores/read-models.ts';
import type { AnyProjection } from '../../projection.ts';

export interface BuildProgress {
  readonly events: number;
  readonly position: bigint;
  /** Where the log ended when this began. */
  readonly head: bigint;
}

/** Takes the log from its beginning, and hands documents to a builder. */
export interface Filling {
  /** Resolves when it can take more. */
  take(events: readonly StoredEvent[]): Promise<void>;
  /** Hands over the rest; the builder holds every document when this resolves. */
  finish(): Promise<void>;
}

/** A read model that is built. */
export interface BeingBuilt {
  readonly of: AnyProjection;
  readonly builder: Builder;
  /** Folds it in this thread, where no other one does. */
  readonly filling: Filling;
  /** Up to where it wants the log at least. */
  readonly head: bigint;
  readonly onProgress: (progress: BuildProgress) => void;
  readonly signal: AbortSignal;
}

export interface FoldedStreams {
  /** Of all documents. */
  readonly digest: Digest;
  /** Streams whose documents end before an event that cannot be projected, or before a break. */
  readonly unprojectable: readonly string[];
}

export interface Filled {
  /** Up to where the builder has everything. */
  readonly position: bigint;
  /** The streams that other threads folded; undefined if the filling folded them. */
  readonly folded?: FoldedStreams;
}

export interface Member extends BeingBuilt {
  readonly resolve: (filled: Filled) => void;
  readonly reject: (fault: unknown) => void;
}

/** Aborts when nobody reads any longer. */
export function whenAllAbort(members: readonly Pick<BeingBuilt, 'signal'>[]): AbortSignal {
  const over = new AbortController();
  const look = (): void => {
    if (members.every(({ signal }) => signal.aborted)) over.abort(members[0]?.signal.reason);
  };
  for (const { signal } of members) signal.addEventListener('abort', look, { once: true });
  look();
  return over.signal;
}
