// One change of an endpoint or a queue: once for the idempotency key of a user of the dashboard, and as an operator's without a user.
import type { DomainEvent } from '../../domain/category.ts';
import type { Rejection } from '../../domain/decider.ts';
import { operatorContext } from '../../journal/contexts.ts';
import { newId } from '../../world.ts';
import type { Answer, Caller } from '../caller.ts';
import type { Plan } from '../idempotency.ts';
import type { WebhookNeeds } from './needs.ts';

/** Rejects as `Idempotency.once` does; throws StoreUnavailable. */
export async function onceFor<State extends object, Event extends DomainEvent, A extends Answer<unknown>>(
  { idempotency, world, mayWrite }: WebhookNeeds,
  by: Caller | undefined,
  accountId: string,
  plan: Plan<State, Event, A>,
): Promise<A | Rejection> {
  if (by !== undefined) return idempotency.once(by, plan);
  const refused = await plan.admit?.();
  if (refused !== undefined) return refused;
  const { resource } = plan;
  const fresh = 'prefix' in resource;
  const resourceId = fresh ? newId(world, resource.prefix) : resource.id;
  const context = operatorContext(world, accountId);
  await mayWrite();
  const { answer } = await plan.work({ context, resourceId, fresh });
  return answer;
}
