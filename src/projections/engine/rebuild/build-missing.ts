// Builds the read models that have no generation of the code's version: new ones, changed ones, and ones that were
// lost.
import { setMaxListeners } from 'node:events';
import { Notice } from '../../../app-error.ts';
import { within } from '../../../world.ts';
import type { AnyProjection } from '../../projection.ts';
import { countLag } from '../health/lag.ts';
import { BuildPass } from './build-pass.ts';
import { RebuildLost, RebuildUnderWay } from './claim.ts';
import { type RebuildParts, rebuild } from './rebuild.ts';

export interface BuildMissingParts extends RebuildParts {
  readonly projections: readonly AnyProjection[];
}

/** Logs up to this length are projected when the engine opens; longer ones while it runs. */
const SHORT_LOG_EVENTS = 5_000;
/** Pause before a build that failed is tried again. */
const RETRY_MS = 5_000;

/**
 * Before the engine runs: builds what is missing when that is quick, and leaves the rest. Rejects with the signal's
 * reason.
 */
export async function buildMissingOfShortLog(parts: BuildMissingParts, signal: AbortSignal): Promise<void> {
  const missing = parts.projections.filter((one) => isMissing(parts, one));
  if (missing.length === 0 || !(await isShort(parts, missing))) return;
  await Promise.all(builtTogether(parts, missing, signal));
}

/**
 * Rebuilds changed versions automatically while the engine runs, until the signal aborts. All missing read models read
 * the log together; one that cannot be built that way is tried alone. Never rejects.
 */
export async function buildMissing(parts: BuildMissingParts, signal: AbortSignal): Promise<void> {
  const { world, projections, report, timings } = parts;
  while (!signal.aborted) {
    const missing = projections.filter((one) => isMissing(parts, one));
    const built = missing.length < 2 ? [] : await Promise.allSettled(builtTogether(parts, missing, signal));
    for (const result of built) if (result.status === 'rejected' && !signal.aborted) report(result.reason);
    for (const one of projections) {
      while (!signal.aborted && isMissing(parts, one)) {
        try {
          await build(parts, one, signal);
        } catch (fault) {
          if (signal.aborted) return;
          report(fault);
          await world.sleep(RETRY_MS, signal).catch(() => undefined);
        }
      }
    }
    await world.sleep(timings.pollMs, signal).catch(() => undefined); // one may be lost
  }
}

const isMissing = ({ catalog }: RebuildParts, { name }: AnyProjection): boolean =>
  catalog.standing(name).own === undefined;

function builtTogether(
  parts: RebuildParts,
  missing: readonly AnyProjection[],
  signal: AbortSignal,
): readonly Promise<void>[] {
  setMaxListeners(0, signal); // each build that another process has begun waits for it
  const pass = new BuildPass(
    parts,
    missing.map(({ name }) => name),
  );
  return missing.map((one) => build(parts, one, signal, pass));
}

/** Builds, or waits for the process that does, which may have taken the build over from this one while it slept. */
async function build(
  parts: RebuildParts,
  one: AnyProjection,
  signal: AbortSignal,
  pass = new BuildPass(parts, [one.name]),
): Promise<void> {
  try {
    const built = await one.open((of) => rebuild(parts, of, { signal, pass, onlyMissing: true }));
    const { documents, documentsBefore } = built;
    if (documents < documentsBefore)
      parts.report(
        new Notice(
          `The read model ${one.name} was built again and has ${documents} documents; the earlier one had ${documentsBefore}. Run \`counterfoil audit verify\`, unless the changelog of this version names the reason.`,
        ),
      );
  } catch (fault) {
    pass.leave(one.name);
    if (fault instanceof RebuildLost) parts.report(new Notice(fault.message));
    else if (!(fault instanceof RebuildUnderWay)) throw fault;
    await parts.world.sleep(parts.timings.pollMs, signal);
    await parts.catalog.refresh();
  }
}

/**
 * Positions only bound the number of events: where they have gaps, a few are read, and a log that takes long is not
 * short.
 */
async function isShort({ events, world, timings }: RebuildParts, missing: readonly AnyProjection[]): Promise<boolean> {
  if ((await events.head()) < SHORT_LOG_EVENTS) return true;
  const categories = missing.flatMap(({ categories: its }) => its);
  const waiting = await within(world, timings.answerMs, (signal) =>
    countLag(events, categories, -1n, SHORT_LOG_EVENTS, signal),
  );
  return waiting !== 'timeout' && waiting.count < SHORT_LOG_EVENTS;
}
