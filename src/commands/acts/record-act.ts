// Puts an act on the service itself on record, as an event of its user or of an operator, before it is done.

import { AppError } from '../../app-error.ts';
import { type Act, type ActEvent, requestAct } from '../../domain/act.ts';
import { type ActingUser, operatorContext } from '../../journal/contexts.ts';
import type { Streams } from '../../journal/streams.ts';
import { transact } from '../../journal/transact.ts';
import { newId, type World } from '../../world.ts';

export interface ActNeeds {
  readonly acts: Streams<Act, ActEvent>;
  readonly world: World;
  /** Rejects with StoreUnavailable while the read models say that the log is another one. */
  readonly mayWrite: () => Promise<void> | undefined;
}

/**
 * Resolves when the act is durable: then it may be done. `accountId`: whose events show it; '' for an operator's act on
 * the whole service. Throws StoreUnavailable. Each act has a stream of its own, so that no damage to an older one keeps
 * a repair from beginning.
 */
export type RecordAct = (accountId: string, request: ActEvent, by?: ActingUser) => Promise<void>;

export const recordAct =
  ({ acts, world, mayWrite }: ActNeeds): RecordAct =>
  async (accountId, request, by) => {
    await mayWrite();
    const done = await transact(acts, newId(world, 'act'), operatorContext(world, accountId, by), requestAct(request), {
      start: 'empty',
    });
    if (done.kind !== 'written') throw new AppError('NotRecorded', `${request.type} could not be recorded.`);
  };
