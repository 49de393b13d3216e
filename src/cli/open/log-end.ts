// Whether a log may be appended to: it still has all that the stores beside it have seen of it, and no restore into the
// directory is unfinished.
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import type { ActNeeds, RecordAct } from '../../commands/acts/record-act.ts';
import { WrongSettings } from '../../config.ts';
import {
  type LostEnd,
  letGoOfLost,
  lostEnd,
  noteEnd,
  type SeenEndParts,
  ShorterLog,
} from '../../projections/engine/generations/seen-end.ts';
import type { EventStore } from '../../stores/event-store.ts';
import { StoreUnavailable } from '../../stores/store-unavailable.ts';
import { type World, within } from '../../world.ts';

/** A loss that the caller accepts, until it is on record. */
interface AcceptedLoss extends LostEnd {
  /** Puts the loss on record, and then forgets what the stores have seen. */
  putOnRecord(record: RecordAct): Promise<void>;
}

/**
 * Undefined for a log that has everything. Throws ShorterLog for another one, unless `isAccepted`: then the read models
 * are let go of, and the answer has to be put on record before the process does anything else. Throws StoreUnavailable.
 */
export async function checkEnd(parts: SeenEndParts, isAccepted: boolean): Promise<AcceptedLoss | undefined> {
  const lost = await lostEnd(parts);
  if (lost === undefined) return undefined;
  if (!isAccepted) throw new ShorterLog(lost);
  await letGoOfLost(parts, lost);
  return {
    ...lost,
    async putOnRecord(record) {
      const data = { end: String(lost.end), seen: String(lost.seen) };
      await record('', { type: 'ShorterLogAccepted', data });
      await noteEnd(parts, { isLower: true });
    },
  };
}

/** What puts acts of an operator on record in a log that is open without a service. */
export async function actNeedsIn(
  events: EventStore,
  world: World,
  report: (fault: unknown) => void,
): Promise<ActNeeds> {
  const { actsIn } = await import('../../journal/destroyed-keys.ts');
  return { acts: actsIn(events, world, report), world, mayWrite: () => undefined };
}

/** How often a service notes the end; its checkpoints of read models are newer. */
const NOTED_EVERY_MS = 60_000;
/** A process that ends waits no longer for its stores. */
const NOTED_WITHIN_MS = 2_000;

/** Notes the end now and then, until the signal aborts. Never rejects. */
export async function keepNoting(parts: SeenEndParts & NotingParts, until: AbortSignal): Promise<void> {
  const signal = AbortSignal.any([until]); // its own: Node warns of more than ten that wait for one
  while (!signal.aborted) {
    await parts.world.sleep(NOTED_EVERY_MS, signal).catch(() => undefined);
    if (!signal.aborted) await noteNow(parts);
  }
}

interface NotingParts {
  readonly world: World;
  readonly report: (fault: unknown) => void;
}

/** Notes the end, which a process does last. Stores that are unavailable know an older one. Never rejects. */
export async function noteNow({ world, report, ...parts }: SeenEndParts & NotingParts): Promise<void> {
  await within(world, NOTED_WITHIN_MS, () => noteEnd(parts)).catch((fault: unknown) => {
    if (!(fault instanceof StoreUnavailable)) report(fault);
  });
}

/** A file in the data directory from the beginning of a restore until its end; it stays if the restore is killed. */
export const RESTORE_MARK = 'restore-unfinished';
/** The lock by which one restore at a time works in the directory. */
export const RESTORE_LOCK = 'restore.lock';

/** Throws WrongSettings while a restore is at work in the directory, and after it was killed: the log is put last. */
export async function mustBeRestored(dataDir: string): Promise<void> {
  const isUnfinished = await access(join(dataDir, RESTORE_MARK)).then(
    () => true,
    () => false,
  );
  if (isUnfinished)
    throw new WrongSettings([`A restore into ${dataDir} is not finished. Run \`counterfoil restore\` again.`]);
}
