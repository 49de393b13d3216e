// A rebuild's steps for documents of streams.
import { readLog } from '../../../journal/read-log.ts';
import type { Builder } from '../../../stores/read-models.ts';
import type { StreamProjection } from '../../projection.ts';
import type { Copy } from '../generations/copy.ts';
import { applyEvents } from '../streams/apply-events.ts';
import { type ApplyParts, catchUpStream } from '../streams/catch-up-stream.ts';
import { Heads } from '../streams/heads.ts';
import { type BuildProgress, fill } from './fill.ts';
import { compareStreams } from './proof/compare-streams.ts';
import type { Steps } from './steps.ts';
import { StreamFolding } from './stream-folding.ts';
import { type FoldedStreams, foldInThreads } from './thread-folding.ts';

export interface StreamStepsParts extends ApplyParts {
  /** The module by which threads know the projections (foldWorkOf); without it, one thread folds. */
  readonly foldModule?: URL | undefined;
}

export function streamSteps<Doc extends object, K extends string>(
  parts: StreamStepsParts,
  of: StreamProjection<Doc, K>,
  copy: Copy<Doc, K>,
  signal: AbortSignal,
): Steps {
  const { events } = parts;
  let folding: Pick<StreamFolding<Doc, K>, 'digest' | 'unprojectable'> | undefined;
  const inThreads = (builder: Builder, head: bigint, onProgress: (progress: BuildProgress) => void): Promise<FoldedStreams> | undefined => {
    const { categories } = of;
    return (
      parts.foldModule &&
      foldInThreads(
        events,
        { module: parts.foldModule, order: { name: of.name, version: of.version }, categories, head, builder, onProgress },
        signal,
      )
    );
  };
  return {
    isJoined: true,
    fill: async (builder, head, onProgress) => {
      folding = await inThreads(builder, head, onProgress);
      if (folding !== undefined) return head;
      const alone = new StreamFolding(of, builder, new Heads(events));
      folding = alone;
      return fill(alone, of.categories, events, head, onProgress, signal);
    },
    settle: async () => {
      const unprojectable = folding?.unprojectable ?? [];
      for (const stream of unprojectable) await catchUpStream(parts, of, [copy], stream);
      return unprojectable.length === 0 ? folding?.digest : undefined;
    },
    catchUp: async (from, to) => {
      let position = from;
      for await (const batch of readLog(events, { after: from, to, categories: of.categories }, signal)) {
        await applyEvents(parts, of, [copy.generation], batch.events);
        position = batch.position;
      }
      return position;
    },
    compare: (before, made, broken) => {
      const documents = folding?.digest.documents ?? 0;
      return compareStreams(parts, of, before, { copy, documents, ...made }, broken);
    },
  };
}
