// What the two kinds of projection do differently while they are rebuilt: each step of a rebuild, made for the kind.
import type { Builder } from '../../../stores/read-models.ts';
import type { Copy } from '../catalog.ts';
import type { BuildProgress } from './build.ts';
import type { Comparison } from './compare.ts';
import type { Digest } from './digest.ts';

/** How far a generation is, and whether a log projection is parked there; streams that are parked keep nothing else from going on. */
export interface Reached {
  readonly position: bigint;
  readonly isParked: boolean;
}

/** What was live, and what the new generation is compared with. */
export interface Live {
  readonly copy: Copy<object, never>;
  /** Nothing can be folded up in documents of another version: each side counts as it is. */
  readonly versionChanged: boolean;
}

export interface Steps {
  /** Whether every process writes the generation while it joins: those of streams are written inline, by the process that appended. */
  readonly isJoined: boolean;
  /** Reads the log up to `head` into a builder. */
  fill(builder: Builder, head: bigint, onProgress: (progress: BuildProgress) => void): Promise<Reached>;
  /** Puts on record what could not be projected, when the generation can be used. Answers the digest, where it is that of all documents. */
  settle(): Promise<Digest | undefined>;
  /** Applies what the log got since, up to a position that it has reached. */
  catchUp(from: bigint, to: bigint): Promise<Reached>;
  /** `position`: of the new generation. */
  compare(before: Live, position: bigint, broken: readonly string[]): Promise<Comparison>;
}
