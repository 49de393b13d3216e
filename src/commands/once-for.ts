// One change of what operators, users of the dashboard and management keys manage: once for the caller's idempotency
// key, and as an operator's without a caller.
import type { DomainEvent } from '../domain/category.ts';
import type { Rejection } from '../domain/decider.ts';
import { operatorContext } from '../journal/contexts.ts';
import { newId, type World } from '../world.ts';
import type { Answer, Caller } from './caller.ts';
import type { Idempotency, Plan } from './idempotency.ts';

export interface OnceNeeds {
  readonly idempotency: Idempotency;
  readonly world: World;
  /** Rejects with StoreUnavailable while an append could not be projected. */
  readonly mayWrite: () => Promise<void> | undefined;
}

/** Rejects as `Idempotency.once` does; throws StoreUnavailable. */
export async function onceFor<State extends object, Event extends DomainEvent, A extends Answer<unknown>>(
  { idempotency, world, mayWrite }: OnceNeeds,
  by: Caller | undefined,
  accountId: string,
  plan: Plan<State, Event, A>,
): Promise<A | Rejection> {
  if (by !== undefined) return idempotency.once(by, plan);
  const refused = await plan.admit?.();
  if (refused !== undefined) return refused;
  const { resource } = plan;
  const context = operatorContext(world, accountId);
  await mayWrite();
  const { answer } = await plan.work(
    'prefix' in resource
      ? { context, resourceId: newId(world, resource.prefix), how: { start: 'empty' } }
      : { context, resourceId: resource.id, how: {} },
  );
  return answer;
}
