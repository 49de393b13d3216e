// The line on which appends go: one call that has proven itself; when it is lost, a new one on a connection of its own.
import { newUuid, type World, within } from '../../world.ts';
import type { StoreMeters } from '../store-meters.ts';
import { type AppendAnswer, type AppendCall, openAppendCall } from './append-call.ts';
import { appendRequest } from './append-messages.ts';
import { NodeConnection } from './connection.ts';
import { AccessDenied, lastingFault } from './faults.ts';

import type { EventStoreDbTimings } from './timings.ts';

interface AppendLineOptions {
  readonly url: string;
  readonly world: World;
  readonly meters: StoreMeters;
  readonly timings: EventStoreDbTimings;
  readonly inOrder: boolean;
}

/**
 * An append to this stream after this revision is a conflict, always: it writes nothing, and shows that appends are
 * answered.
 */
const PROOF_STREAM = 'counterfoil-proof';
const PROOF_AFTER = 2_000_000_000;

type Proof = { readonly call: AppendCall } | { readonly fault: unknown };
type Waiter = (call: AppendCall | undefined) => void;

export class AppendLine {
  readonly #options: AppendLineOptions;
  readonly #closed = new AbortController();
  readonly #waiting = new Map<Waiter, { readonly patient: boolean }>();
  #call: AppendCall | undefined;
  /** No appends are answered: a new call was tried, and failed. Undefined until the first was tried. */
  #unavailable: boolean | undefined;
  #fault: unknown = new Error('not connected yet');

  constructor(options: AppendLineOptions) {
    this.#options = options;
  }

  /** Known to be unavailable: new appends are refused at once. */
  get isUnavailable(): boolean {
    return this.#unavailable === true;
  }

  /** Why there is no call, if there is none. */
  get fault(): unknown {
    return this.#fault;
  }

  /**
   * Brings the line up, and from then on up again. Resolves when it is; rejects with what failed: after `startMs`, or
   * when it will last.
   */
  async start(): Promise<void> {
    const { world, timings } = this.#options;
    const until = world.monotonic() + timings.startMs;
    void this.#restore();
    while ((await this.#whenUp(undefined)) === undefined) {
      const lasting = lastingFault(this.#fault, 'append');
      if (lasting !== undefined || world.monotonic() >= until) throw lasting ?? this.#fault;
    }
  }

  /** The call to send on, if there is one at this moment: without a promise, for nearly every append finds it. */
  get current(): AppendCall | undefined {
    return this.#call;
  }

  /**
   * The call to send on. Undefined if the store is known to be unavailable: at once, or for a patient caller at that
   * time of the monotonic clock. While the first call after a loss is tried, all others wait for how that ends.
   */
  async call(patienceUntil?: number): Promise<AppendCall | undefined> {
    if (this.#call !== undefined || this.#closed.signal.aborted) return this.#call;
    if (this.isUnavailable && patienceUntil === undefined) return undefined;
    return this.#whenUp(patienceUntil);
  }

  /** Reports a lost response to every append that still waits for one. */
  close(): void {
    this.#closed.abort();
    for (const [wake] of this.#waiting) wake(undefined);
    this.#waiting.clear();
    const call = this.#call;
    this.#call = undefined;
    call?.lose(new Error('the store was closed'));
  }

  async #whenUp(until: number | undefined): Promise<AppendCall | undefined> {
    const { world } = this.#options;
    let waiter: Waiter = () => undefined;
    const up = new Promise<AppendCall | undefined>((wake) => {
      waiter = wake;
      this.#waiting.set(wake, { patient: until !== undefined });
    });
    if (until === undefined) return up;
    const found = await within(world, Math.max(0, until - world.monotonic()), () => up);
    this.#waiting.delete(waiter);
    return found === 'timeout' ? undefined : found;
  }

  #wake(call: AppendCall | undefined): void {
    for (const [wake, { patient }] of this.#waiting) {
      if (call === undefined && patient) continue;
      this.#waiting.delete(wake);
      wake(call);
    }
  }

  /** Tries calls until one is proven. */
  async #restore(): Promise<void> {
    const { world, timings } = this.#options;
    const { signal } = this.#closed;
    while (!signal.aborted) {
      const proof = await this.#prove();
      if ('call' in proof && !proof.call.isLost)
        return signal.aborted ? proof.call.lose(signal.reason) : this.#up(proof.call);
      // A call that is lost right after its proof has told no waiter: it was not yet the call of this line.
      this.#fault = 'call' in proof ? new Error('the call was lost as soon as it had proven itself') : proof.fault;
      this.#setUnavailable(true);
      this.#wake(undefined);
      await world.sleep(timings.proofPauseMs, signal).catch(() => undefined);
    }
  }

  #up(call: AppendCall): void {
    this.#call = call;
    this.#setUnavailable(false);
    this.#wake(call);
  }

  #setUnavailable(isUnavailable: boolean): void {
    if (this.#unavailable === isUnavailable) return;
    this.#unavailable = isUnavailable;
    this.#options.meters.available(!isUnavailable);
  }

  async #prove(): Promise<Proof> {
    const { url, world, timings } = this.#options;
    const connection = connectionTo(url);
    if (!(connection instanceof NodeConnection)) return connection;
    const tried = await within(world, timings.proofMs, () => this.#tryOn(connection));
    const proof =
      tried === 'timeout' ? { fault: new Error(`EventStoreDB does not respond within ${timings.proofMs} ms`) } : tried;
    if ('fault' in proof) connection.close();
    return proof;
  }

  async #tryOn(connection: NodeConnection): Promise<Proof> {
    const { world, timings, inOrder } = this.#options;
    let call: AppendCall | undefined;
    try {
      call = await openAppendCall(connection, {
        world,
        tryMs: timings.tryMs,
        inOrder,
        onLost: (cause) => this.#lost(call, connection, cause),
      });
      const event = { id: newUuid(world), type: 'Proof', data: '{}', metadata: '{}' };
      const answer = await call.send(appendRequest(PROOF_STREAM, PROOF_AFTER, [event]));
      return answer.kind === 'conflict' && !call.isLost ? { call } : { fault: faultIn(answer) };
    } catch (fault) {
      return { fault };
    }
  }

  #lost(call: AppendCall | undefined, connection: NodeConnection, cause: unknown): void {
    connection.close();
    if (call === undefined || this.#call !== call || this.#closed.signal.aborted) return;
    this.#call = undefined;
    this.#fault = cause;
    this.#options.meters.dropped();
    void this.#restore();
  }
}

/** A file of certificates may be gone by now. */
function connectionTo(url: string): NodeConnection | { readonly fault: unknown } {
  try {
    return new NodeConnection(url);
  } catch (fault) {
    return { fault };
  }
}

function faultIn(answer: AppendAnswer): unknown {
  switch (answer.kind) {
    case 'lost':
      return answer.cause;
    case 'refused':
      return answer.why === 'denied' ? new AccessDenied('append', undefined) : new Error(answer.message);
    default:
      return new Error(`EventStoreDB answered that the append was ${answer.kind}`);
  }
}
