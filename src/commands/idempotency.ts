// One intended effect under one operation id: with an idempotency key it is claimed first, found again, carried on or
// answered again. A command opens its operation, begins it, does its work, and ends it with its answer.

import type { DomainEvent } from '../domain/category.ts';
import { type Decision, type Rejection, reject } from '../domain/decider.ts';
import {
  type Claim,
  claimKey,
  heldClaim,
  type IdempotencyEvent,
  type IdempotencyRecord,
  releaseKey,
} from '../domain/idempotency.ts';
import { MANAGEMENT } from '../domain/scopes.ts';
import { operatorContext } from '../journal/contexts.ts';
import type { Folded } from '../journal/fold.ts';
import type { Streams } from '../journal/streams.ts';
import { transact } from '../journal/transact.ts';
import type { StoreKey } from '../secrets.ts';
import { newId, type World } from '../world.ts';
import { type Answer, type Caller, type Completed, completed, contextOf } from './caller.ts';
import { type Effect, lastEventOf, leftBy, transactFor } from './effect.ts';

interface IdempotencyParts {
  readonly records: Streams<IdempotencyRecord, IdempotencyEvent>;
  readonly storeKey: StoreKey;
  readonly world: World;
  /** Asked before an effect begins: an effect that could not be projected is 503 and writes nothing. */
  readonly mayWrite: () => Promise<void> | undefined;
  /** How long a key is kept; left out: for as long as the API promises. */
  readonly keptDays?: number | undefined;
}

/** Where the events of an operation are. */
interface Target<State extends object, Event extends DomainEvent> {
  readonly streams: Streams<State, Event>;
  /** An existing resource's id, or the prefix of a new id. */
  readonly resource: { readonly id: string } | { readonly prefix: string };
  /** True if all events of the operation in the target are one append. */
  readonly appendsOnce?: boolean;
}

/** The operation may do its work. */
interface BegunCall extends Effect {
  readonly kind: 'started';
}

/** An earlier call had the effect; `revision`: of its last event in the target. Its answer is given again. */
interface RepeatedCall extends Effect {
  readonly kind: 'repeated';
  readonly revision: number;
}

/**
 * The result of an operation's work. `appended`: the effect is on record, which its key remembers. `abandoned`: it is
 * not and never can be, or can never have an effect, so that its key must begin a new one.
 */
export type CallResult = 'nothing' | 'appended' | 'abandoned';

/**
 * A refusal that needs no held key: asked before the claim, so that refused calls with new keys leave no trace; under a
 * held key, whose effect may be there already, after it. Refusals that must follow the search for an earlier effect are
 * the command's own.
 */
type Refuse = () => Rejection | undefined | Promise<Rejection | undefined>;

/** Retry-After of a key whose first call still runs. */
const IN_PROGRESS_SECONDS = 2;

export class Idempotency {
  readonly #parts: IdempotencyParts;
  /** Keys that a call in this process is working under. */
  readonly #running = new Set<string>();

  constructor(parts: IdempotencyParts) {
    this.#parts = parts;
  }

  /**
   * Opens an operation of a caller; `name`: in kebab-case, part of derived ids. Until it is disposed of, other calls of
   * this process with its key are in progress. Throws StoreUnavailable.
   */
  async open(caller: Caller, name: string): Promise<KeyedCall> {
    const checking = this.#parts.mayWrite();
    if (checking !== undefined) await checking;
    const { idempotency } = caller;
    if (idempotency === undefined) return new KeyedCall(this.#parts, this.#running, { caller, name });
    const stream = `${scopeOf(caller, name)}\n${idempotency.key}`;
    const recordId = this.#parts.storeKey.name('idempotency-stream', stream);
    const key = { ...idempotency, recordId, isRunning: this.#running.has(recordId) };
    this.#running.add(recordId);
    return new KeyedCall(this.#parts, this.#running, { caller, name, key });
  }

  /**
   * Opens a change of what operators, users of the dashboard and management keys manage: as an operator's without a
   * caller. Throws StoreUnavailable.
   */
  async openFor(by: Caller | undefined, accountId: string, name: string): Promise<KeyedCall> {
    if (by !== undefined) return this.open(by, name);
    await this.#parts.mayWrite();
    return new KeyedCall(this.#parts, this.#running, { accountId, name });
  }
}

interface OpenedCall {
  readonly name: string;
  readonly caller?: Caller;
  /** The account of an operator's change. */
  readonly accountId?: string;
  readonly key?: OpenKey;
}

interface OpenKey {
  readonly key: string;
  /** The fingerprinted text. */
  readonly request: string;
  readonly recordId: string;
  /** True if another call of this process is working under it. */
  readonly isRunning: boolean;
}

/** The claim of a key, made now or found. */
interface Holding {
  readonly held: Claim;
  /** True if an earlier call had made it. */
  readonly isResumed: boolean;
}

/** An operation while its command runs: `using operation = await idempotency.open(…)`. */
class KeyedCall implements Disposable {
  readonly #parts: IdempotencyParts;
  readonly #running: Set<string>;
  readonly #opened: OpenedCall;
  #holding: Holding | undefined;
  #isEnding = false;

  constructor(parts: IdempotencyParts, running: Set<string>, opened: OpenedCall) {
    this.#parts = parts;
    this.#running = running;
    this.#opened = opened;
  }

  /**
   * Claims the key (contract §6), where there is one, and finds what an earlier call under it has done. `refuse`: see
   * Refuse. Rejections: IdempotencyKeyReused, IdempotencyKeyInProgress, Conflict, that of `refuse`. Throws
   * StoreUnavailable.
   */
  async begin<State extends object, Event extends DomainEvent>(
    target: Target<State, Event>,
    refuse?: Refuse,
  ): Promise<BegunCall | RepeatedCall | Rejection> {
    const isEarly = refuse !== undefined && (await this.#isNew());
    const refusedEarly = isEarly ? await refuse() : undefined;
    if (refusedEarly !== undefined) return refusedEarly;
    const begun = await this.#claim(target);
    const refused = begun.kind !== 'started' || isEarly ? undefined : await refuse?.();
    return refused === undefined || begun.kind === 'rejected' ? begun : this.end(begun, refused, 'nothing');
  }

  /** True if no key holds anything yet. */
  async #isNew(): Promise<boolean> {
    const { key, caller } = this.#opened;
    if (key === undefined || caller === undefined) return true;
    if (key.isRunning) return false;
    return heldClaim((await this.#parts.records.current(key.recordId)).state, caller.at) === undefined;
  }

  async #claim<State extends object, Event extends DomainEvent>(
    target: Target<State, Event>,
  ): Promise<BegunCall | RepeatedCall | Rejection> {
    const { caller, key, accountId = '' } = this.#opened;
    const { world } = this.#parts;
    const { resource } = target;
    if (caller !== undefined && key !== undefined) return this.#underKey(caller, key, target);
    const context = caller === undefined ? operatorContext(world, accountId) : contextOf(caller, newId(world, 'op'));
    return 'prefix' in resource
      ? { kind: 'started', context, resourceId: newId(world, resource.prefix), how: { start: 'empty' } }
      : { kind: 'started', context, resourceId: resource.id, how: {} };
  }

  /**
   * Begins again, where what was recorded can never have an effect, as it was found out later: the key begins a new one
   * (contract §6).
   */
  async beginAfresh<State extends object, Event extends DomainEvent>(
    { context }: Pick<RepeatedCall, 'context'>,
    target: Target<State, Event>,
    refuse?: Refuse,
  ): Promise<BegunCall | RepeatedCall | Rejection> {
    await this.#release(context, true);
    return this.begin(target, refuse);
  }

  /** Ends the operation with its answer. The key remembers an effect, and is freed otherwise. */
  async end<A>({ context }: Effect, answer: A, result: CallResult): Promise<A> {
    this.#isEnding = true;
    try {
      await this.#settle(context, result);
      return answer;
    } finally {
      this.#leave();
    }
  }

  /** A command that returns `end` without awaiting it is disposed of first; `end` frees the key then. */
  [Symbol.dispose](): void {
    if (!this.#isEnding) this.#leave();
  }

  #leave(): void {
    const { key } = this.#opened;
    if (key?.isRunning === false) this.#running.delete(key.recordId);
  }

  async #settle(context: Effect['context'], result: CallResult): Promise<void> {
    if (this.#holding === undefined || this.#opened.key === undefined) return;
    const { held, isResumed } = this.#holding;
    // A refusal or a no-op frees the key; but a call that carried on for another leaves the key to the call that
    // claimed it.
    if (result === 'abandoned' || (result === 'nothing' && !isResumed))
      await this.#release(context, result === 'abandoned');
    // The first caller may have released the key on a refusal while this one had the effect: the key remembers the
    // effect.
    if (result === 'appended' && isResumed)
      await transact(this.#parts.records, this.#opened.key.recordId, context, claimKey(held, this.#parts.keptDays));
  }

  async #underKey<State extends object, Event extends DomainEvent>(
    caller: Caller,
    { key, request, recordId, isRunning }: OpenKey,
    { streams, resource, appendsOnce = false }: Target<State, Event>,
  ): Promise<BegunCall | RepeatedCall | Rejection> {
    const { records, world, keptDays } = this.#parts;
    const { name: operation } = this.#opened;
    const fingerprint = this.#parts.storeKey.fingerprint('request-fingerprint', request);
    if (isRunning) return this.#alreadyRunning(recordId, caller, fingerprint);
    const operationId = newId(world, 'op');
    const isMade = 'prefix' in resource;
    const resourceId = isMade ? this.#derivedId(resource.prefix, caller, key, operationId) : resource.id;
    const targetRevision = isMade ? -1 : (await streams.current(resourceId)).head.revision;
    const claim = { fingerprint, operationId, operation, resourceId, targetRevision, claimedAt: caller.at };
    const claiming = claimKey(claim, keptDays);
    const claimed = await transact(records, recordId, contextOf(caller, operationId), claiming, { start: 'guess' });
    if (claimed.kind === 'rejected') return claimed;
    const held = heldClaim(claimed.folded.state, caller.at);
    if (held === undefined) throw new TypeError('a key that was just claimed holds no claim');
    this.#holding = { held, isResumed: claimed.kind !== 'written' };
    const effect = {
      context: contextOf(caller, held.operationId),
      resourceId: held.resourceId,
      how: { onceAfter: held.targetRevision },
    };
    const revision =
      held.operationId === operationId
        ? undefined
        : await lastEventOf(streams, held.resourceId, held.targetRevision, held.operationId, appendsOnce);
    return revision === undefined ? { kind: 'started', ...effect } : { kind: 'repeated', ...effect, revision };
  }

  async #alreadyRunning(recordId: string, caller: Caller, fingerprint: string): Promise<Rejection> {
    const held = heldClaim((await this.#parts.records.load(recordId)).state, caller.at);
    return held !== undefined && held.fingerprint !== fingerprint ? keyReused() : inProgress();
  }

  #derivedId(prefix: string, { sessionId, accountId }: Caller, key: string, operationId: string): string {
    const parts = `${sessionId ?? accountId}\n${this.#opened.name}\n${key}\n${operationId}`;
    return `${prefix}_${this.#parts.storeKey.name('derived-id', parts)}`;
  }

  async #release(context: Effect['context'], isAbandoned: boolean): Promise<void> {
    const { key } = this.#opened;
    if (key !== undefined && this.#holding !== undefined)
      await transact(
        this.#parts.records,
        key.recordId,
        context,
        releaseKey(this.#holding.held.operationId, isAbandoned),
      );
  }
}

/** An answer that an earlier call with the same key was given. */
export const replayed = <A extends object>(answer: A): A => ({ ...answer, replayed: true });

/** What one change has left in its stream, now or in an earlier call with the same key. */
export interface Changed<State> {
  readonly kind: 'changed';
  readonly effect: Effect;
  readonly folded: Folded<State>;
  readonly replayed?: true;
}

/**
 * Decides on one stream and appends, once for the caller's key: all that most commands do. `decide` may use the context
 * and the id of what is made. Rejections: those of `begin`, and of the decision. Throws StoreUnavailable.
 */
export async function changeOnce<State extends object, Event extends DomainEvent>(
  operation: KeyedCall,
  target: Target<State, Event>,
  decide: (effect: Effect) => (state: State, revision: number) => Decision<Event>,
  refuse?: Refuse,
): Promise<Changed<State> | Rejection> {
  const { streams } = target;
  const begun = await operation.begin({ ...target, appendsOnce: true }, refuse);
  if (begun.kind === 'rejected') return begun;
  if (begun.kind === 'repeated') {
    const folded = await streams.at(begun.resourceId, begun.revision);
    return { kind: 'changed', effect: begun, folded, replayed: true };
  }
  const done = await transactFor(begun, streams, decide(begun));
  if (done.kind === 'rejected') return operation.end(begun, done, 'nothing');
  const folded = await leftBy(streams, begun.resourceId, done);
  const changed = { kind: 'changed', effect: begun, folded } as const;
  return operation.end(begun, changed, done.kind === 'unchanged' ? 'nothing' : 'appended');
}

/** The needs of changes that operators, users of the dashboard and management keys make. */
export interface ManageNeeds {
  readonly idempotency: Idempotency;
  readonly world: World;
  /** Rejects with StoreUnavailable while an append could not be projected. */
  readonly mayWrite: () => Promise<void> | undefined;
}

/** `changeOnce` for such a change; an operator's where `by` is left out. */
export async function changeFor<State extends object, Event extends DomainEvent>(
  { idempotency }: Pick<ManageNeeds, 'idempotency'>,
  { name, accountId, by }: { readonly name: string; readonly accountId: string; readonly by: Caller | undefined },
  target: Target<State, Event>,
  decide: (effect: Effect) => (state: State, revision: number) => Decision<Event>,
  refuse?: Refuse,
): Promise<Changed<State> | Rejection> {
  using operation = await idempotency.openFor(by, accountId, name);
  return await changeOnce(operation, target, decide, refuse);
}

/** The answer of such a change: the document after it. */
export function answerOf<State>(changed: Changed<State>): Completed<State>;
export function answerOf<State>(changed: Changed<State> | Rejection): Answer<State>;
export function answerOf<State>(changed: Changed<State> | Rejection): Answer<State> {
  if (changed.kind === 'rejected') return changed;
  const answer = completed(changed.effect.resourceId, changed.folded);
  return changed.replayed === true ? replayed(answer) : answer;
}

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
