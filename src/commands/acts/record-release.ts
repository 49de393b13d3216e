// Puts on record that an operator releases a stream, in a stream that is named after it: two at once, or a repetition, are one release.
import { AppError } from '../../app-error.ts';
import { requestRelease } from '../../domain/act/decide.ts';
import { releaseOf } from '../../domain/act/state.ts';
import { operatorContext } from '../../journal/contexts.ts';
import { transactUnread } from '../../journal/transact.ts';
import type { ActNeeds } from './record-act.ts';

export interface Release {
  /** The account of the stream; '' where its events do not say. */
  readonly accountId: string;
  readonly stream: string;
  readonly revision: number;
}

/** Resolves when the release is durable, to true where this call put it on record. Throws StoreUnavailable. */
export async function recordRelease({ acts, world, mayWrite }: ActNeeds, { accountId, stream, revision }: Release): Promise<boolean> {
  await mayWrite();
  const done = await transactUnread(acts, releaseOf(stream), operatorContext(world, accountId), requestRelease({ stream, revision }));
  if (done.kind === 'rejected')
    throw new AppError('NotRecorded', `The release of ${stream} could not be put on record: ${done.description}`);
  return done.kind === 'written';
}
