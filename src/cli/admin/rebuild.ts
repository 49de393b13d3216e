// The work of counterfoil projections rebuild: builds read models again from the log next to the live ones, proves
// them, and swaps.
import { AppError } from '../../app-error.ts';
import type { RebuildProgress, RebuildResult } from '../../projections/engine/rebuild/result.ts';
import { StoreUnavailable } from '../../stores/store-unavailable.ts';
import type { CommonOptions, GivenValues } from '../command.ts';
import { EXIT, interruptible, WrongUsage } from '../exit.ts';
import { checkStoreKey, type RepairStores, withProjections } from '../open/with-stores.ts';
import { print, tell } from '../output.ts';
import { openProgress, type Progress, totalBy } from '../progress.ts';
import type { projections as rows } from '../rows/projections.ts';
import { table } from '../table.ts';
import { recordFor } from './projections.ts';

interface RebuildCommand extends CommonOptions {
  readonly all?: boolean | undefined;
  readonly dryRun?: boolean | undefined;
  readonly from?: string | undefined;
}

export async function rebuild(given: GivenValues<typeof rows.rebuild>): Promise<undefined> {
  await interruptible('Stopping. The live read model stays unchanged.', (signal) =>
    withProjections(given, (stores) => rebuildAll(stores, given.name, given, signal), { signal }),
  );
}

/** Prints the result of each read model. Throws the fault that stopped it, after the results. */
export async function rebuildAll(
  work: RepairStores,
  name: string | undefined,
  options: RebuildCommand,
  signal: AbortSignal,
): Promise<void> {
  const { dryRun = false } = options;
  const record = await recordFor(work);
  const names = name === undefined ? namesFrom(work.projections.names, options.from) : [name];
  for (const one of names) await checkStoreKey(work, one);
  const { results, failed, stopped } = await inTurn(names, signal, async (projection) => {
    // A name of no read model leaves no event, and is refused by the rebuild.
    if (work.projections.names.includes(projection))
      await record('', { type: 'RebuildRequested', data: { projection, dryRun } });
    return rebuildOne(work, projection, options, signal);
  });
  const named = {
    ...(failed.length > 0 && { failed: failed.map((one) => one.name) }),
    ...(stopped !== undefined && { left: stopped.left }),
  };
  if (stopped === undefined || results.length > 0 || (options.all === true && options.json === true))
    print({ json: { data: results.map(asJson), ...named }, text: asTable(results) }, options);
  const surprising = results.filter(
    ({ equal, versionChanged, holesChanged, generationBefore, broken }) =>
      broken.length > 0 || (!equal && !versionChanged && !holesChanged && generationBefore !== undefined),
  );
  for (const { name: its, different, examples, swapped, broken } of surprising) {
    if (broken.length > 0) {
      const some = broken.slice(0, 5).join(', ');
      tell(
        `${its}: the log is broken in ${broken.length} ${broken.length === 1 ? 'stream' : 'streams'}, such as ${some}.`,
      );
    }
    const then = swapped ? 'The read model built from the log is live now.' : 'Nothing was swapped.';
    // of a lost read model every document differs
    const some = examples.length === 0 ? '' : `, such as ${examples.slice(0, 5).join(', ')}`;
    tell(`${its}: ${different} documents differ from the live ones${some}. ${then}`);
  }
  for (const { name: its, why } of failed) tell(`${its}: ${why}`);
  if (surprising.length > 0 || failed.length > 0) process.exitCode = EXIT.refused;
  if (stopped === undefined) return;
  if (options.all === true) {
    const again = `counterfoil projections rebuild --all --from ${stopped.left[0]}${dryRun ? ' --dry-run' : ''}`;
    tell(`Not rebuilt: ${stopped.left.join(', ')}. To go on: \`${again}\``);
    if (failed.length > 0) tell(`That skips the failed ones: ${failed.map((one) => one.name).join(', ')}.`);
  }
  throw stopped.fault;
}

/** The names from this one on. Throws WrongUsage. */
export function namesFrom(names: readonly string[], from: string | undefined): readonly string[] {
  if (from === undefined) return names;
  if (!names.includes(from))
    throw new WrongUsage(`There is no read model ${from}. The read models are ${names.join(', ')}.`);
  return names.slice(names.indexOf(from));
}

interface Failed {
  readonly name: string;
  readonly why: string;
}

/** Why the run stopped early, and the read models that were not rebuilt, the current one first. */
interface StoppedAt {
  readonly fault: unknown;
  readonly left: readonly string[];
}

/**
 * Rebuilds one read model after the other: of several, one that cannot be built keeps no other one from it, and
 * `failed` says why. The fault of a single one, StoreUnavailable, a fault of the code and an interrupt stop it.
 */
export async function inTurn<T>(
  names: readonly string[],
  signal: AbortSignal,
  rebuild: (name: string) => Promise<T>,
): Promise<{ readonly results: readonly T[]; readonly failed: readonly Failed[]; readonly stopped?: StoppedAt }> {
  const results: T[] = [];
  const failed: Failed[] = [];
  for (const [place, name] of names.entries()) {
    try {
      results.push(await rebuild(name));
    } catch (fault) {
      const isOwn = fault instanceof AppError && !(fault instanceof StoreUnavailable);
      if (names.length === 1 || signal.aborted || !isOwn)
        return { results, failed, stopped: { fault, left: names.slice(place) } };
      failed.push({ name, why: fault.message });
    }
  }
  return { results, failed };
}

async function rebuildOne(
  { projections, world }: RepairStores,
  name: string,
  { dryRun = false }: RebuildCommand,
  signal: AbortSignal,
): Promise<RebuildResult> {
  const progress = await openProgress(name, 'events', world);
  try {
    return await projections.rebuild(name, {
      dryRun,
      signal,
      onProgress: showOn(progress),
    });
  } finally {
    progress.stop();
  }
}

/** In events. Positions of the log may have another unit: EventStoreDB counts bytes. */
export const showOn =
  (progress: Pick<Progress, 'update'>) =>
  ({ events, position, head, step }: RebuildProgress): void =>
    progress.update(events, totalBy(events, head < 0n ? 1 : Number(position + 1n) / Number(head + 1n)), step);

/** undefined has no place in JSON. */
const asJson = (result: RebuildResult): object => ({
  ...result,
  versionBefore: result.versionBefore ?? null,
  generationBefore: result.generationBefore ?? null,
});

/** The start of a digest, in a table: enough to see that two differ; --json has the whole. */
const DIGEST_SHOWN = 8;

const asTable = (results: readonly RebuildResult[]): string =>
  table(
    ['name', 'documents', 'before', 'after', 'result', 'took'],
    results.map((result) => [
      result.name,
      String(result.documents),
      result.digestBefore.slice(0, DIGEST_SHOWN),
      result.digestAfter.slice(0, DIGEST_SHOWN),
      verdict(result),
      `${(result.tookMs / 1_000).toFixed(1)} s`,
    ]),
  );

function verdict({
  equal,
  swapped,
  versionChanged,
  holesChanged,
  generationBefore,
  parked,
  broken,
}: RebuildResult): string {
  const changed = versionChanged ? 'new version' : holesChanged ? 'other holes' : 'DIFFERENT';
  const compared = generationBefore === undefined ? 'first build' : equal ? 'equal' : changed;
  const waiting = parked === 0 ? '' : `, ${parked} parked`;
  const damaged = broken.length === 0 ? '' : `, ${broken.length} broken`;
  return `${compared}, ${swapped ? 'swapped' : 'not swapped'}${waiting}${damaged}`;
}
