// A rebuild's steps for documents of streams.
import { readLog } from '../../../journal/read-log.ts';
import type { StreamProjection } from '../../projection.ts';
import type { Copy } from '../generations/copy.ts';
import { applyEvents } from '../streams/apply-events.ts';
import { type ApplyParts, catchUpStream } from '../streams/catch-up-stream.ts';
import { Heads } from '../streams/heads.ts';
import { fill } from './fill.ts';
import { compareStreams } from './proof/compare-streams.ts';
import type { Steps } from './steps.ts';
import { StreamFolding } from './stream-folding.ts';

export function streamSteps<Doc extends object, K extends string>(
  parts: ApplyParts,
  of: StreamProjection<Doc, K>,
  copy: Copy<Doc, K>,
  signal: AbortSignal,
): Steps {
  const { events } = parts;
  let folding: StreamFolding<Doc, K> | undefined;
  return {
    isJoined: true,
    fill: async (builder, head, onProgress) => {
      folding = new StreamFolding(of, builder, new Heads(events));
      return { position: await fill(folding, of.categories, events, head, onProgress, signal), isParked: false };
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
      return { position, isParked: false };
    },
    compare: (before, _position, broken) => compareStreams(parts, of, before.copy, copy, before.versionChanged, broken),
  };
}
