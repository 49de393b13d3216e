// Puts on record that an operator releases a stream, in a stream that is named after it: two at once, or a repetition,
// are one release.
import { AppError } from '../../app-error.ts';
import { releaseOf, requestRelease } from '../../domain/act.ts';
import { operatorContext } from '../../journal/contexts.ts';
import { transact } from '../../journal/transact.ts';
import { BrokenStream } from '../../stores/broken-stream.ts';
import type { EventStore } from '../../stores/event-store.ts';
import type { ActNeeds } from './record-act.ts';

interface Release {
  /** The account of the stream; '' where its events do not say. */
  readonly accountId: string;
  readonly stream: string;
  /** The revisions of the events that park it, at least one. */
  readonly parkedAt: readonly number[];
}

interface RecordReleaseNeeds extends ActNeeds {
  readonly events: Pick<EventStore, 'read'>;
}

/** Resolves when the release is durable, to true if this call put it on record. Throws StoreUnavailable. */
export async function recordRelease(
  { acts, events, world, mayWrite }: RecordReleaseNeeds,
  release: Release,
): Promise<boolean> {
  const { accountId, stream, parkedAt } = release;
  await mayWrite();
  const request = requestRelease({ stream, parkedAt, last: await lastRevision(events, stream, Math.max(...parkedAt)) });
  const done = await transact(acts, releaseOf(stream), operatorContext(world, accountId), request, { start: 'guess' });
  if (done.kind === 'rejected')
    throw new AppError('NotRecorded', `The release of ${stream} could not be recorded: ${done.description}`);
  return done.kind === 'written';
}

/**
 * The last readable revision from the parked event on: the stream before it may be long. The first revision if none
 * from there on is readable; undefined if the stream has no events, as after a tombstone.
 */
async function lastRevision(
  events: Pick<EventStore, 'read'>,
  stream: string,
  parkedAt: number,
): Promise<number | undefined> {
  let last: number | undefined;
  try {
    for await (const { revision } of events.read(stream, parkedAt - 1)) last = revision;
    if (last === undefined) for await (const { revision } of events.read(stream, -1, 1)) last = revision;
  } catch (fault) {
    if (!(fault instanceof BrokenStream)) throw fault;
  }
  return last;
}
