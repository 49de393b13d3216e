// Work that falls due on one document: the input of a command from a policy, and the context of its appends.
import type { Context } from '../journal/context.ts';
import { policyContext } from '../journal/contexts.ts';
import type { Streams } from '../journal/streams.ts';
import type { World } from '../world.ts';

export interface Due {
  readonly id: string;
  /** The document in which the policy saw the due work: its event is the cause of the events that follow. */
  readonly revision: number;
  readonly accountId: string;
}

/** `policy`: its name, the actor of the appended events. Throws StoreUnavailable. */
export const dueContext = async (
  world: World,
  streams: { readonly causeAt: Streams<never, never>['causeAt'] },
  policy: string,
  { id, revision, accountId }: Due,
): Promise<Context> => policyContext(world, policy, accountId, await streams.causeAt(id, revision));
