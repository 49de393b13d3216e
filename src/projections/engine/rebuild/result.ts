// The options, the progress and the result of a rebuild.

import type { BuildPass, BuildProgress } from './build-pass.ts';
import type { ProofResult } from './proof/proof.ts';

export interface RebuildProgress extends BuildProgress {
  readonly step: 'building' | 'indexing' | 'joining' | 'comparing';
}

export interface RebuildOptions {
  /** Stops before the swap, and removes the new generation. */
  readonly dryRun?: boolean;
  readonly onProgress?: (progress: RebuildProgress) => void;
  readonly signal?: AbortSignal;
  /** Reads the log with others that are built at the same time. */
  readonly pass?: BuildPass;
  /** Rejects with RebuildUnderWay if a generation of this version can be read: another process was faster. */
  readonly onlyMissing?: boolean;
}

/**
 * `documents` and `digestAfter` are the new generation's, `…Before` the one's that was live (0 and a digest of nothing
 * without one).
 */
export interface RebuildResult extends ProofResult {
  readonly name: string;
  readonly version: number;
  /** The version of the generation that was live; undefined if there was none. */
  readonly versionBefore: number | undefined;
  readonly versionChanged: boolean;
  readonly generation: number;
  readonly generationBefore: number | undefined;
  /**
   * Same documents at the same revisions with the same content, save for events from a released break on, and no other
   * stream is broken.
   */
  readonly equal: boolean;
  readonly swapped: boolean;
  /** Events read while building. */
  readonly events: number;
  /** Streams that are parked in the new generation, each by an event that cannot be projected; no released one. */
  readonly parked: number;
  /** A log projection goes on without other streams than the live one did: the two were not comparable. */
  readonly holesChanged: boolean;
  /** Streams that are broken and not released, whose documents end before the break: each is a difference. */
  readonly broken: readonly string[];
  readonly tookMs: number;
}
