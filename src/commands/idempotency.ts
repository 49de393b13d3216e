// One intended effect under one operation id: with an idempotency key it is claimed first, found again, carried on or
// answered again.

import { MANAGEMENT } from '../domain/api-key/scopes.ts';
import type { DomainEvent } from '../domain/category.ts';
import { type Rejection, reject } from '../domain/decider.ts';
import { claimKey, releaseKey } from '../domain/idempotency/decide.ts';
import type { IdempotencyEvent } from '../domain/idempotency/events.ts';
import { heldClaim, type IdempotencyRecord } from '../domain/idempotency/state.ts';
import type { Streams } from '../journal/streams.ts';
import { transact } from '../journal/transact.ts';
import type { StoreKey } from '../secrets.ts';
import { newId, type World } from '../world.ts';
import { type Answer, type Caller, contextOf } from './caller.ts';
import { type Effect, lastEventOf, type Worked } from './effect.ts';

export interface Plan<State extends object, Event extends DomainEvent, A extends Answer<unknown>> {
  /** kebab-case; part of derived ids. */
  readonly name: string;
  readonly target: Streams<State, Event>;
  /** An existing resource's id, or the prefix of a new id. */
  readonly resource: { readonly id: string } | { readonly prefix: string };
  /** True if all events of the effect in the target are one append. */
  readonly appendsOnce?: boolean;
  /**
   * Refusals that need no held key: asked once before the work, and where the key holds nothing yet also before it is
   * claimed, so that refused calls with new keys leave no trace. Never a refusal that only a replay should precede.
   */
  readonly admit?: () => Promise<Rejection | undefined>;
  readonly work: (effect: Effect) => Promise<Worked<A>>;
  /** The first answer again, from the target stream; `revision` is that of the effect's last event. */
  readonly replay: (effect: Effect, revision: number) => Promise<A | Rejection>;
  /**
   * Whether what was recorded can never have an effect, as it was found out later: the key is freed, and begins a new
   * one (contract §6).
   */
  readonly isVoid?: (effect: Effect, revision: number) => Promise<boolean>;
}

/** Retry-After of a key whose first call still runs. */
const IN_PROGRESS_SECONDS = 2;

export class Idempotency {
  readonly #records: Streams<IdempotencyRecord, IdempotencyEvent>;
  readonly #storeKey: StoreKey;
  readonly #world: World;
  readonly #mayWrite: () => Promise<void> | undefined;
  readonly #keptDays: number | undefined;
  /** Keys that a call in this process is working under. */
  readonly #running = new Set<string>();

  /**
   * `mayWrite` is asked before an effect begins: an effect that could not be projected is 503 and writes nothing.
   * `keptDays`: how long a key is kept, for as long as the API promises without it.
   */
  constructor(
    records: Streams<IdempotencyRecord, IdempotencyEvent>,
    storeKey: StoreKey,
    world: World,
    mayWrite: () => Promise<void> | undefined,
    keptDays?: number,
  ) {
    this.#records = records;
    this.#storeKey = storeKey;
    this.#world = world;
    this.#mayWrite = mayWrite;
    this.#keptDays = keptDays;
  }

  /**
   * Runs the plan's work once for a key (contract §6), or simply when there is no key. Rejections:
   * IdempotencyKeyReused, IdempotencyKeyInProgress, and the rejections of the work. Throws StoreUnavailable.
   */
  async once<State extends object, Event extends DomainEvent, A extends Answer<unknown>>(
    caller: Caller,
    plan: Plan<State, Event, A>,
  ): Promise<A | Rejection> {
    const { idempotency } = caller;
    const checking = this.#mayWrite();
    if (checking !== undefined) await checking;
    if (idempotency === undefined) {
      const refused = plan.admit === undefined ? undefined : await plan.admit();
      if (refused !== undefined) return refused;
      const { resource } = plan;
      const context = contextOf(caller, newId(this.#world, 'op'));
      const { answer } = await plan.work(
        'prefix' in resource
          ? { context, resourceId: newId(this.#world, resource.prefix), how: { start: 'empty' } }
          : { context, resourceId: resource.id, how: {} },
      );
      return answer;
    }
    const recordId = this.#storeKey.name('idempotency-stream', `${scopeOf(caller, plan.name)}\n${idempotency.key}`);
    if (this.#running.has(recordId)) return this.#alreadyRunning(recordId, caller, idempotency.request);
    this.#running.add(recordId);
    try {
      return await this.#underKey(recordId, caller, idempotency, plan);
    } finally {
      this.#running.delete(recordId);
    }
  }

  async #alreadyRunning(recordId: string, caller: Caller, request: string): Promise<Rejection> {
    const { state } = await this.#records.load(recordId);
    const held = heldClaim(state, caller.at);
    if (held !== undefined && held.fingerprint !== this.#fingerprint(request)) return keyReused();
    return inProgress();
  }

  async #underKey<State extends object, Event extends DomainEvent, A extends Answer<unknown>>(
    recordId: string,
    caller: Caller,
    { key, request }: { readonly key: string; readonly request: string },
    plan: Plan<State, Event, A>,
  ): Promise<A | Rejection> {
    // A held key may have had its effect already: then its replay comes first.
    const early = plan.admit !== undefined && !(await this.#holds(recordId, caller.at));
    const refusedEarly = early ? await plan.admit?.() : undefined;
    if (refusedEarly !== undefined) return refusedEarly;
    const operationId = newId(this.#world, 'op');
    const made = 'prefix' in plan.resource;
    const derive = (prefix: string): string =>
      `${prefix}_${this.#storeKey.name('derived-id', `${caller.sessionId ?? caller.accountId}\n${plan.name}\n${key}\n${operationId}`)}`;
    const resourceId = 'prefix' in plan.resource ? derive(plan.resource.prefix) : plan.resource.id;
    const targetRevision = made ? -1 : (await plan.target.current(resourceId)).head.revision;
    const claim = {
      fingerprint: this.#fingerprint(request),
      operationId,
      operation: plan.name,
      resourceId,
      targetRevision,
      claimedAt: caller.at,
    };
    const claimed = await transact(
      this.#records,
      recordId,
      contextOf(caller, operationId),
      claimKey(claim, this.#keptDays),
      {
        start: 'guess',
      },
    );
    if (claimed.kind === 'rejected') return claimed;
    const held = heldClaim(claimed.folded.state, caller.at);
    if (held === undefined) throw new TypeError('a key that was just claimed holds no claim');
    const context = contextOf(caller, held.operationId);
    const effect = { context, resourceId: held.resourceId, how: { onceAfter: held.targetRevision } };
    const resumed = claimed.kind !== 'written';
    if (held.operationId !== operationId) {
      const revision = await lastEventOf(
        plan.target,
        held.resourceId,
        held.targetRevision,
        held.operationId,
        plan.appendsOnce === true,
      );
      if (revision !== undefined) {
        if ((await plan.isVoid?.(effect, revision)) !== true) return replayed(await plan.replay(effect, revision));
        await transact(this.#records, recordId, context, releaseKey(held.operationId, true));
        // once: the released operation no longer holds anything
        return this.#underKey(recordId, caller, { key, request }, plan);
      }
    }
    const refused = early ? undefined : await plan.admit?.();
    const {
      answer,
      appended,
      abandoned = false,
    } = refused === undefined ? await plan.work(effect) : { answer: refused, appended: false };
    // A refusal or a no-op frees the key; but a call that carried on for another leaves the key to the call that
    // claimed it.
    if (abandoned || (!appended && !resumed))
      await transact(this.#records, recordId, context, releaseKey(held.operationId, abandoned));
    // The first caller may have released the key on a refusal while this one had the effect: the key remembers the
    // effect.
    if (appended && resumed)
      await transact(this.#records, recordId, context, claimKey({ ...claim, ...held }, this.#keptDays));
    return answer;
  }

  async #holds(recordId: string, at: number): Promise<boolean> {
    return heldClaim((await this.#records.current(recordId)).state, at) !== undefined;
  }

  #fingerprint(request: string): string {
    return this.#storeKey.fingerprint('request-fingerprint', request);
  }
}

const replayed = <A extends Answer<unknown>>(answer: A | Rejection): A | Rejection => ({ ...answer, replayed: true });
/**
 * A checkout, each user of the dashboard and each management key for each operation, and the other API keys of an
 * account have keys of their own: a user can neither take a colleague's key, whose operation would be refused then, nor
 * repeat it to see its answer, which may hold a new API key.
 */
const scopeOf = ({ sessionId, accountId, actor, scopes }: Caller, operation: string): string =>
  sessionId ?? (actor.kind === 'user' || scopes.has(MANAGEMENT) ? `${accountId} ${actor.id} ${operation}` : accountId);

const keyReused = (): Rejection => reject('IdempotencyKeyReused', 'This idempotency key was used for another request.');
export const inProgress = (): Rejection =>
  reject('IdempotencyKeyInProgress', 'The first call with this idempotency key is still running.', {
    retryAfterSeconds: IN_PROGRESS_SECONDS,
  });
