// Work that falls due on one document: what a policy hands to a command, and the context of what the command appends.
import type { Context } from '../journal/context.ts';
import { policyContext } from '../journal/contexts.ts';
import type { Streams } from '../journal/streams.ts';
import type { World } from '../world.ts';

export interface Due {
  readonly id: string;
  /** Of the document in which the policy saw that something is due: the event there is the cause of what follows. */
  readonly revision: number;
  readonly accountId: string;
}

/** `policy`: its name, the actor of what is appended. Throws StoreUnavailable. */
export const dueContext = async (
  world: World,
  streams: { readonly causeAt: Streams<never, never>['causeAt'] },
  policy: string,
  { id, revision, accountId }: Due,
): Promise<Context> => policyContext(world, policy, accountId, await streams.causeAt(id, revision));
