// Brings a parked stream to go on in its read models: when an operator, an upkeep round, or a mended log says so.
import { breakIn } from '../../journal/chain.ts';
import { isOneOf } from '../../stores/stream-name.ts';
import type { AnyProjection, LogProjection, Projection } from '../projection.ts';
import { copyOf } from './generations/copy.ts';
import { retryLog } from './log/retry-log.ts';
import { LIMITS, LOG, recordsOf, unpark } from './parked/parked-records.ts';
import { RebuildUnderWay } from './rebuild/claim.ts';
import { type RebuildParts, rebuild } from './rebuild/rebuild.ts';
import { catchUpStream } from './streams/catch-up-stream.ts';

interface ReleaseParts extends RebuildParts {
  readonly projections: readonly AnyProjection[];
}

/**
 * Tries again what is parked under the name of a projection, or under LOG a broken stream in every projection of it.
 * True if it goes on; an unbuilt read model never does. Rejects with the signal's reason.
 */
export async function releaseParked(
  parts: ReleaseParts,
  name: string,
  stream: string,
  signal: AbortSignal,
): Promise<boolean> {
  const { events, store, projections } = parts;
  if (name === LIMITS.name) return false; // the follower closes the record when the limit is lifted
  if (name !== LOG.name)
    return catchUp(
      parts,
      projections.filter((one) => one.name === name),
      stream,
      signal,
    );
  if ((await breakIn(events, stream)) !== undefined) return false;
  // The log was mended: the documents get the events after the break.
  await catchUp(
    parts,
    projections.filter(({ categories }) => isOneOf(categories, stream)),
    stream,
    signal,
  );
  await unpark(store, LOG, stream);
  return true;
}

async function catchUp(
  parts: ReleaseParts,
  projections: readonly AnyProjection[],
  stream: string,
  signal: AbortSignal,
): Promise<boolean> {
  let goesOn = projections.length > 0;
  for (const { name, open } of projections) {
    const { own, also } = parts.catalog.standing(name);
    if (own === undefined || !(await open((of) => catchUpOne(parts, of, own, also, stream, signal)))) goesOn = false;
  }
  return goesOn;
}

async function catchUpOne<Doc extends object, K extends string>(
  parts: ReleaseParts,
  of: Projection<Doc, K>,
  own: number,
  also: readonly number[],
  stream: string,
  signal: AbortSignal,
): Promise<boolean> {
  switch (of.kind) {
    case 'stream': {
      const copies = [own, ...also].map((generation) => copyOf(of, generation));
      // A follower passes over a parked stream's events: those that came while it was still parked are caught by the
      // second look.
      return (await catchUpStream(parts, of, copies, stream)) && (await catchUpStream(parts, of, copies, stream));
    }
    case 'log':
      return closed(parts, of, own, stream, signal);
    default:
      return of satisfies never;
  }
}

/**
 * Whether the stream is not parked in the live generation any more, which is another one where a rebuild had to close
 * the hole.
 */
async function closed<Doc extends object, K extends string>(
  parts: ReleaseParts,
  of: LogProjection<Doc, K>,
  own: number,
  stream: string,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const goesOn = await retryLog(
      parts,
      of,
      copyOf(of, own),
      stream,
      signal,
      async () => void (await rebuild(parts, of, { signal })),
    );
    const { own: live = own } = parts.catalog.standing(of.name);
    return goesOn && (await recordsOf(parts.store, { name: of.name, generation: live }, [stream])).length === 0;
  } catch (fault) {
    if (fault instanceof RebuildUnderWay) return false; // it closes the hole
    throw fault;
  }
}
