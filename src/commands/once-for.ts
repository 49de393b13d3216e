// One change of what operators, users of the dashboard and management keys manage: once for the caller's idempotency
// key, and as an operator's without a caller.
import type { DomainEvent } from '../domain/category.ts';
import type { Rejection } from '../domain/decider.ts';
import type { World } from '../world.ts';
import type { Answer, Caller } from './caller.ts';
import { type Idempotency, type Plan, runPlan } from './idempotency.ts';

export interface OnceNeeds {
  readonly idempotency: Idempotency;
  readonly world: World;
  /** Rejects with StoreUnavailable while an append could not be projected. */
  readonly mayWrite: () => Promise<void> | undefined;
}

/** Rejects as `Operation.begin` does; throws StoreUnavailable. */
export async function onceFor<State extends object, Event extends DomainEvent, A extends Answer<unknown>>(
  { idempotency }: Pick<OnceNeeds, 'idempotency'>,
  by: Caller | undefined,
  accountId: string,
  plan: Plan<State, Event, A>,
): Promise<A | Rejection> {
  using operation = await idempotency.openFor(by, accountId, plan.name);
  return await runPlan(operation, plan);
}
