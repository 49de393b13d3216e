// A rebuild's steps for documents over many streams: its builder alone writes the generation, until it is live.
import type { LogProjection } from '../../projection.ts';
import { loadCheckpoints } from '../generations/checkpoints.ts';
import type { Copy } from '../generations/copy.ts';
import { catchUpLog } from '../log/catch-up-log.ts';
import { StreamReaders } from '../log/stream-readers.ts';
import { parkLog } from '../parked/parked-records.ts';
import { LogFolding } from './log-folding.ts';
import { compareLog } from './proof/compare-log.ts';
import type { Steps } from './steps.ts';
import type { StreamStepsParts } from './stream-steps.ts';

export function logSteps<Doc extends object, K extends string>(
  parts: StreamStepsParts,
  of: LogProjection<Doc, K>,
  copy: Copy<Doc, K>,
  signal: AbortSignal,
): Steps {
  const { store, world, pass } = parts;
  const readers = new StreamReaders<Doc>(parts, of);
  let folding: LogFolding<Doc, K> | undefined;
  return {
    isJoined: false,
    fill: async (builder, head, onProgress) => {
      folding = new LogFolding(parts, of, readers, builder);
      return (await pass.read({ of, builder, filling: folding, head, onProgress, signal })).position;
    },
    settle: async () => {
      for (const fault of folding?.faults ?? []) await parkLog(parts, copy, fault, world.now(), 'passed');
      return folding?.digest;
    },
    catchUp: (from, to) => catchUpLog(parts, of, copy, { from, to }, signal, readers),
    compare: async (before, { position }) => {
      const [checkpoint = -1n] = await loadCheckpoints(store, [before.copy]);
      return compareLog(
        parts,
        of,
        { copy: before.copy, position: checkpoint },
        { copy, position },
        before.versionChanged,
        signal,
      );
    },
  };
}
