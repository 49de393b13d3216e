// A rebuild's steps for documents of streams.
import { AppError } from '../../../app-error.ts';
import type { StreamProjection } from '../../projection.ts';
import { type ApplyParts, applyEvents, catchUpStream } from '../apply.ts';
import type { Copy } from '../catalog.ts';
import { Heads } from '../heads.ts';
import { fill } from './build.ts';
import { compare } from './compare.ts';
import { Folding } from './folding.ts';
import type { Steps } from './steps.ts';

export function streamSteps<Doc extends object, K extends string>(
  parts: ApplyParts,
  of: StreamProjection<Doc, K>,
  copy: Copy<Doc, K>,
  signal: AbortSignal,
): Steps {
  const { events } = parts;
  let folding: Folding<Doc, K> | undefined;
  return {
    isJoined: true,
    fill: async (builder, head, onProgress) => {
      folding = new Folding(of, builder, new Heads(events));
      return { position: await fill(folding, of.categories, events, head, onProgress, signal), isParked: false };
    },
    settle: async () => {
      const unprojectable = folding?.unprojectable ?? [];
      for (const stream of unprojectable) await catchUpStream(parts, of, [copy], stream);
      return unprojectable.length === 0 ? folding?.digest : undefined;
    },
    catchUp: async (from, to) => {
      if (from >= to) return { position: from, isParked: false };
      const enough = new AbortController();
      for await (const batch of events.follow(from, of.categories, AbortSignal.any([signal, enough.signal]))) {
        await applyEvents(parts, of, [copy.generation], batch.events);
        if (batch.position < to) continue;
        enough.abort();
        return { position: batch.position, isParked: false };
      }
      signal.throwIfAborted();
      throw new AppError('LogEnded', 'The log ended while a rebuild was reading it.');
    },
    compare: (before, _position, broken) => compare(parts, of, before.copy, copy, before.versionChanged, broken),
  };
}
