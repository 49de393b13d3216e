// The circuits of the accounts' connections on this node with the calls that they count, and the notices about them for
// operators.
import { Notice } from '../../app-error.ts';
import { maskedText } from '../../domain/card-number/mask.ts';
import { type Rejection, reject } from '../../domain/decider.ts';
import type { Observer } from '../../telemetry/observer.ts';
import { Alarm, type World } from '../../world.ts';
import { Circuit, type CircuitCallKind, type CircuitLimits, type CircuitStatus, isAnswer } from './circuit.ts';

/** The newest calls of each connection that are kept. */
const MOST_CALLS = 50;

/** The connection of an account. That of a processor without connections, as the sandbox, is named by all accounts. */
export interface CircuitOf {
  readonly accountId: string;
  readonly connectionId: string;
}

interface CircuitsParts {
  /** The connections that every account has, by the names of their processors. */
  readonly implied: Iterable<string>;
  readonly limits: CircuitLimits;
  readonly world: Pick<World, 'monotonic'>;
  readonly report: (notice: unknown) => void;
  readonly observer?: Pick<Observer, 'circuit'> | undefined;
}

interface KeptCircuit extends CircuitOf {
  readonly circuit: Circuit;
  /** The newest are last. */
  readonly calls: EndedCall[];
}

export class Circuits {
  /** Rung whenever one closes. */
  readonly closing = new Alarm();
  /** When each of them opens. */
  readonly limits: CircuitLimits;
  readonly #parts: CircuitsParts;
  readonly #implied: readonly string[];
  /** By account and connection: one account's faults at a shared processor refuse nothing to another. */
  readonly #circuits = new Map<string, KeptCircuit>();
  readonly #open = new Set<KeptCircuit>();
  readonly #closed = new Set<KeptCircuit>();

  constructor(parts: CircuitsParts) {
    this.#parts = parts;
    this.limits = parts.limits;
    this.#implied = [...parts.implied];
    for (const connectionId of this.#implied) parts.observer?.circuit(connectionId, false);
  }

  #of(of: CircuitOf): KeptCircuit {
    const known = this.#known(of);
    if (known !== undefined) return known;
    const { accountId, connectionId } = of;
    const { world, report } = this.#parts;
    const { limits } = this;
    const changed = (isOpen: boolean, calls: number, failed: number): void => {
      (isOpen ? this.#open : this.#closed).add(made);
      (isOpen ? this.#closed : this.#open).delete(made);
      report(
        new Notice(
          isOpen ? opened(of, limits, calls, failed) : `The ${named(of)} responds again; its circuit is closed.`,
        ),
      );
      if (isOpen) this.#parts.observer?.circuit(connectionId, true);
      else this.#closedOne(connectionId);
      if (!isOpen) this.closing.ring();
    };
    const made = { accountId, connectionId, circuit: new Circuit({ world, limits, changed }), calls: [] };
    this.#circuits.set(keyOf(of), made);
    this.#closedOne(connectionId);
    return made;
  }

  #known(of: CircuitOf): KeptCircuit | undefined {
    return this.#circuits.get(keyOf(of));
  }

  /** The gauge shows an open circuit as long as one of an account is open. */
  #closedOne(connectionId: string): void {
    const isOpen = [...this.#open].some((one) => one.connectionId === connectionId);
    if (!isOpen) this.#parts.observer?.circuit(connectionId, false);
  }

  /**
   * Lets an operation through, or answers the 503 that refuses it before anything is written (contract §4). While the
   * circuit is open it lets one through now and then, which has the try until `ended` or `untried` is called.
   */
  admit(of: CircuitOf): Rejection | undefined {
    const waitMs = this.#of(of).circuit.admit();
    return waitMs === 0 ? undefined : isAway(of, waitMs);
  }

  /** The 503 that `admit` would answer now; undefined if it would let an operation through. Takes no try. */
  refusal(of: CircuitOf): Rejection | undefined {
    const waitMs = this.#known(of)?.circuit.waitMs() ?? 0;
    return waitMs === 0 ? undefined : isAway(of, waitMs);
  }

  /** True if `admit` would let an operation through now. */
  wouldAdmit(of: CircuitOf): boolean {
    return this.refusal(of) === undefined;
  }

  /** The circuits of the account's connections that have one, and of those that every account has. */
  statusesOf(accountId: string): readonly CircuitState[] {
    for (const connectionId of this.#implied) this.#of({ accountId, connectionId });
    return this.statuses().filter((one) => one.accountId === accountId);
  }

  /** The circuits of all accounts. */
  statuses(): readonly CircuitState[] {
    return [...this.#circuits.values()].map(({ accountId, connectionId, circuit }) => ({
      accountId,
      connectionId,
      ...circuit.status(),
    }));
  }

  /** The circuit of a connection; undefined before its first call. */
  statusOf(of: CircuitOf): CircuitStatus | undefined {
    return this.#known(of)?.circuit.status();
  }

  /** The last calls by a connection in this process, the newest first. */
  lastCalls(of: CircuitOf): readonly EndedCall[] {
    return this.#known(of)?.calls.map(shownCall).reverse() ?? [];
  }

  isOpen(of: CircuitOf): boolean {
    const known = this.#known(of);
    return known !== undefined && this.#open.has(known);
  }

  /** The connections whose circuits have closed since this was last called, and are closed. */
  takeClosed(): readonly CircuitOf[] {
    const closed = [...this.#closed];
    this.#closed.clear();
    return closed;
  }

  /** Puts back the connections whose work could not be done, except those whose circuits have opened again. */
  putBackClosed(connections: Iterable<CircuitOf>): void {
    for (const of of connections) {
      const one = this.#of(of);
      if (!this.#open.has(one)) this.#closed.add(one);
    }
  }

  /** An operation that was admitted was refused for another reason, without a call. */
  untried(of: CircuitOf): void {
    this.#of(of).circuit.untried();
  }

  /**
   * `kind`: of an outcome, a look-up's answer or a tokenization's, as the processor port grades them. `call`: kept for
   * operators.
   */
  ended(of: CircuitOf, call: CircuitCallKind, kind: string, kept?: EndedCall): void {
    const { circuit, calls } = this.#of(of);
    circuit.ended(call, isAnswer(kind));
    if (kept !== undefined && calls.push(kept) > MOST_CALLS) calls.shift();
  }
}

/** Where a payment that is routed asks to be let through. */
export interface Admitting {
  readonly isAt: (connectionId: string) => boolean;
  /** The 503 if the circuit of the connection refuses. */
  readonly enter: (of: CircuitOf) => Rejection | undefined;
}

/** The place of a payment at the connection whose circuit let it through: it has the try of an open one for now. */
export class Admittance implements Admitting {
  readonly #circuits: Circuits;
  #at: CircuitOf | undefined;

  constructor(circuits: Circuits) {
    this.#circuits = circuits;
  }

  isAt(connectionId: string): boolean {
    return this.#at?.connectionId === connectionId;
  }

  /** Lets the payment through to a connection, in place of another one; the 503 if its circuit refuses. */
  enter({ accountId, connectionId }: CircuitOf): Rejection | undefined {
    if (this.isAt(connectionId)) return undefined;
    const to = { accountId, connectionId };
    const refused = this.#circuits.admit(to);
    if (refused !== undefined) return refused;
    this.leave();
    this.#at = to;
    return undefined;
  }

  /** No call follows at the connection that let the payment through. */
  leave(): void {
    if (this.#at !== undefined) this.#circuits.untried(this.#at);
    this.#at = undefined;
  }
}

interface CircuitState extends CircuitOf, CircuitStatus {}

const keyOf = ({ accountId, connectionId }: CircuitOf): string => `${accountId} ${connectionId}`;

/** A processor without connections has a circuit under its own name. */
const spoken = (connectionId: string): string =>
  connectionId.startsWith('con_') ? `connection ${connectionId}` : `processor ${connectionId}`;
const named = ({ accountId, connectionId }: CircuitOf): string => `${spoken(connectionId)} for account ${accountId}`;

const isAway = ({ connectionId }: Pick<CircuitOf, 'connectionId'>, waitMs: number): Rejection =>
  reject('ServiceUnavailable', `The ${spoken(connectionId)} is not responding at the moment. Nothing was changed.`, {
    retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1_000)),
  });

const opened = (of: CircuitOf, { windowMs, openMs }: CircuitLimits, calls: number, failed: number): string =>
  `The circuit of the ${named(of)} is open: ${failed} of ${calls} calls in ${windowMs / 1_000} s were not answered. ` +
  `New operations get 503 until the processor responds; one operation every ${openMs / 1_000} s, and calls for existing payments, are let through.`;

export interface EndedCall {
  /** An operation of a payment, or another call: "look-up". */
  readonly what: string;
  /** When it was sent; ms, business time. */
  readonly at: number;
  readonly tookMs: number;
  /** The outcome's kind, as the processor port grades it. */
  readonly outcome: string;
  /** The reason of a refusal. */
  readonly code?: string | undefined;
  /** The words of a failure; the processor's id of the request is among them if the processor gave one. */
  readonly detail?: string | undefined;
  readonly processorTransactionId?: string | undefined;
}

/** The outcome of a call, or of a tokenization, which is refused with a description. */
interface EndedOutcome {
  readonly kind: string;
  readonly code?: string | undefined;
  readonly detail?: string | undefined;
  readonly description?: string | undefined;
  readonly processorTransactionId?: string | undefined;
}

/** The members of an outcome that operators see; nothing else of it is kept. */
export const endedCall = (made: Pick<EndedCall, 'what' | 'at' | 'tookMs'>, told: EndedOutcome): EndedCall => ({
  ...made,
  outcome: told.kind,
  code: told.code,
  detail: told.detail ?? told.description,
  processorTransactionId: told.processorTransactionId,
});

/** Longer words of a processor are cut. */
const MOST_CHARACTERS = 300;

const shown = (text: string | undefined): string | undefined => text && maskedText(text).slice(0, MOST_CHARACTERS);

/** The call with its texts masked and cut: most calls are never looked at. */
const shownCall = (call: EndedCall): EndedCall => ({
  ...call,
  code: shown(call.code),
  detail: shown(call.detail),
  processorTransactionId: shown(call.processorTransactionId),
});
