// A rebuild's steps for documents of streams.
import { readLog } from '../../../journal/read-log.ts';
import type { StreamProjection } from '../../projection.ts';
import type { Copy } from '../generations/copy.ts';
import { applyEvents } from '../streams/apply-events.ts';
import { type ApplyParts, catchUpStream } from '../streams/catch-up-stream.ts';
import { Heads } from '../streams/heads.ts';
import type { LogPass } from './log-pass.ts';
import { compareStreams } from './proof/compare-streams.ts';
import type { Steps } from './steps.ts';
import { StreamFolding } from './stream-folding.ts';

export interface StreamStepsParts extends ApplyParts {
  readonly pass: LogPass;
}

export function streamSteps<Doc extends object, K extends string>(
  parts: StreamStepsParts,
  of: StreamProjection<Doc, K>,
  copy: Copy<Doc, K>,
  signal: AbortSignal,
): Steps {
  const { events } = parts;
  let folding: Pick<StreamFolding<Doc, K>, 'digest' | 'unprojectable'> | undefined;
  return {
    isJoined: true,
    fill: async (builder, head, onProgress) => {
      const alone = new StreamFolding(of, builder, new Heads(events));
      const { position, folded } = await parts.pass.read({ of, builder, filling: alone, head, onProgress, signal });
      folding = folded ?? alone;
      return position;
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
