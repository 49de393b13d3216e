// The steps of a rebuild that differ between the two kinds of projection, made for the kind.
import type { Digest } from '../../../stores/document-digest.ts';
import type { Builder } from '../../../stores/read-models.ts';
import type { Copy } from '../generations/copy.ts';
import type { BuildProgress } from './being-built.ts';
import type { Broken, ProofResult } from './proof/proof.ts';

/** The live generation, and the generation that the new one is compared with. */
export interface Live {
  readonly copy: Copy<object, never>;
  /** Nothing can be folded up in documents of another version: each side counts as it is. */
  readonly versionChanged: boolean;
}

/** The knowledge about the new generation. */
export interface Made {
  readonly position: bigint;
  /** Of all its documents at that position; undefined if they must be read for it. */
  readonly digest: Digest | undefined;
}

export interface Steps {
  /**
   * Whether every process writes the generation while it joins: those of streams are written inline, by the process
   * that appended.
   */
  readonly isJoined: boolean;
  /** Reads the log up to `head` into a builder; answers up to where. Parked streams do not stop the others. */
  fill(builder: Builder, head: bigint, onProgress: (progress: BuildProgress) => void): Promise<bigint>;
  /**
   * Records events that could not be projected, when the generation can be used. Answers the digest, where it is of all
   * documents.
   */
  settle(): Promise<Digest | undefined>;
  /** Applies the log's newer events, up to a position that it has reached; answers up to where. */
  catchUp(from: bigint, to: bigint): Promise<bigint>;
  compare(before: Live, made: Made, broken: Broken): Promise<ProofResult>;
}
