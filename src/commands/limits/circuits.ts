// The circuits of all connections of this node with the calls that they count, and the notices about them for
// operators.
import { Notice } from '../../app-error.ts';
import { type Rejection, reject } from '../../domain/decider.ts';
import type { Observer } from '../../telemetry/observer.ts';
import { Alarm, type World } from '../../world.ts';
import { Circuit, type CircuitCallKind, type CircuitLimits, type CircuitStatus, isAnswer } from './circuit.ts';
import { type EndedCall, shownCall } from './ended-call.ts';

/** The newest calls of each connection that are kept. */
const MOST_CALLS = 50;

export interface CircuitsParts {
  /** Those that are there from the start; others come with their first call. */
  readonly connections: Iterable<string>;
  readonly limits: CircuitLimits;
  readonly world: Pick<World, 'monotonic'>;
  readonly report: (notice: unknown) => void;
  readonly observer?: Pick<Observer, 'circuit'> | undefined;
}

export class Circuits {
  /** Rung whenever one closes. */
  readonly closing = new Alarm();
  /** When each of them opens. */
  readonly limits: CircuitLimits;
  readonly #circuits: Map<string, Circuit>;
  readonly #calls = new Map<string, EndedCall[]>();
  readonly #make: (name: string) => Circuit;
  readonly #open = new Set<string>();
  readonly #closed = new Set<string>();

  constructor({ connections, limits, world, report, observer }: CircuitsParts) {
    this.limits = limits;
    this.#make = (name) => {
      observer?.circuit(name, false);
      const changed = (isOpen: boolean, calls: number, failed: number): void => {
        report(
          new Notice(
            isOpen ? opened(name, limits, calls, failed) : `The ${named(name)} responds again; its circuit is closed.`,
          ),
        );
        observer?.circuit(name, isOpen);
        (isOpen ? this.#open : this.#closed).add(name);
        (isOpen ? this.#closed : this.#open).delete(name);
        if (!isOpen) this.closing.ring();
      };
      return new Circuit({ world, limits, changed });
    };
    this.#circuits = new Map([...connections].map((name) => [name, this.#make(name)]));
  }

  #of(connection: string): Circuit {
    const known = this.#circuits.get(connection);
    if (known !== undefined) return known;
    const made = this.#make(connection);
    this.#circuits.set(connection, made);
    return made;
  }

  /**
   * Lets an operation through, or answers the 503 that refuses it before anything is written (contract §4). While the
   * circuit is open it lets one through now and then, which has the try until `ended` or `untried` is called.
   */
  admit(connection: string): Rejection | undefined {
    const waitMs = this.#of(connection).admit();
    return waitMs === 0 ? undefined : isAway(connection, waitMs);
  }

  /** True if `admit` would let an operation through now. */
  wouldAdmit(connection: string): boolean {
    return this.#circuits.get(connection)?.wouldAdmit() ?? true;
  }

  /** The circuit of every connection that has one, by its id. */
  status(): ReadonlyMap<string, CircuitStatus> {
    return new Map([...this.#circuits].map(([name, circuit]) => [name, circuit.status()]));
  }

  /** The circuit of a connection; undefined before its first call. */
  statusOf(connection: string): CircuitStatus | undefined {
    return this.#circuits.get(connection)?.status();
  }

  /** The last calls by a connection in this process, the newest first. */
  lastCalls(connection: string): readonly EndedCall[] {
    return this.#calls.get(connection)?.map(shownCall).reverse() ?? [];
  }

  isOpen(connection: string): boolean {
    return this.#open.has(connection);
  }

  /** The connections whose circuits have closed since this was last called, and are closed. */
  takeClosed(): readonly string[] {
    const closed = [...this.#closed];
    this.#closed.clear();
    return closed;
  }

  /** Puts back the connections whose work could not be done, except those whose circuits have opened again. */
  putBackClosed(connections: Iterable<string>): void {
    for (const one of connections) if (!this.#open.has(one)) this.#closed.add(one);
  }

  /** An operation that was admitted was refused for another reason, without a call. */
  untried(connection: string): void {
    this.#of(connection).untried();
  }

  /**
   * `kind`: of an outcome, a look-up's answer or a tokenization's, as the processor port grades them. `call`: kept for
   * operators.
   */
  ended(connection: string, call: CircuitCallKind, kind: string, kept?: EndedCall): void {
    this.#of(connection).ended(call, isAnswer(kind));
    if (kept === undefined) return;
    const calls = this.#calls.get(connection);
    if (calls === undefined) this.#calls.set(connection, [kept]);
    else if (calls.push(kept) > MOST_CALLS) calls.shift();
  }
}

/** A processor without connections has a circuit under its own name. */
const named = (connection: string): string =>
  connection.startsWith('con_') ? `connection ${connection}` : `processor ${connection}`;

export const isAway = (connection: string, waitMs: number): Rejection =>
  reject('ServiceUnavailable', `The ${named(connection)} is not responding at the moment. Nothing was changed.`, {
    retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1_000)),
  });

const opened = (name: string, { windowMs, openMs }: CircuitLimits, calls: number, failed: number): string =>
  `The circuit of the ${named(name)} is open: ${failed} of ${calls} calls in ${windowMs / 1_000} s were not answered. ` +
  `New operations get 503 until the processor responds; one operation every ${openMs / 1_000} s, and calls for existing payments, are let through.`;
