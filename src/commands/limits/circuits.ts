// The circuits of all processors of this node, and the notices about them for operators.
import { Notice } from '../../app-error.ts';
import { type Rejection, reject } from '../../domain/decider.ts';
import type { Observer } from '../../telemetry/observer.ts';
import { Alarm, type World } from '../../world.ts';
import { Circuit, type CircuitCallKind, type CircuitLimits, type CircuitStatus, isAnswer } from './circuit.ts';

export interface CircuitsParts {
  readonly processors: Iterable<string>;
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
  readonly #circuits: ReadonlyMap<string, Circuit>;
  readonly #open = new Set<string>();
  readonly #closed = new Set<string>();

  constructor({ processors, limits, world, report, observer }: CircuitsParts) {
    this.limits = limits;
    const circuitOf = (name: string): Circuit => {
      observer?.circuit(name, false);
      const changed = (isOpen: boolean, calls: number, failed: number): void => {
        report(
          new Notice(
            isOpen
              ? opened(name, limits, calls, failed)
              : `The processor ${name} responds again; its circuit is closed.`,
          ),
        );
        observer?.circuit(name, isOpen);
        (isOpen ? this.#open : this.#closed).add(name);
        (isOpen ? this.#closed : this.#open).delete(name);
        if (!isOpen) this.closing.ring();
      };
      return new Circuit({ world, limits, changed });
    };
    this.#circuits = new Map([...processors].map((name) => [name, circuitOf(name)]));
  }

  /**
   * Lets an operation through, or answers the 503 that refuses it before anything is written (contract §4). While the
   * circuit is open it lets one through now and then, which has the try until `ended` or `untried` is called.
   */
  admit(processor: string): Rejection | undefined {
    const waitMs = this.#circuits.get(processor)?.admit() ?? 0;
    return waitMs === 0 ? undefined : isAway(processor, waitMs);
  }

  /** The circuit of every processor, by its name. */
  status(): ReadonlyMap<string, CircuitStatus> {
    return new Map([...this.#circuits].map(([name, circuit]) => [name, circuit.status()]));
  }

  isOpen(processor: string): boolean {
    return this.#open.has(processor);
  }

  /** The processors whose circuits have closed since this was last called, and are closed. */
  takeClosed(): readonly string[] {
    const closed = [...this.#closed];
    this.#closed.clear();
    return closed;
  }

  /** Puts back the processors whose work could not be done, except those whose circuits have opened again. */
  putBackClosed(processors: Iterable<string>): void {
    for (const processor of processors) if (!this.#open.has(processor)) this.#closed.add(processor);
  }

  /** An operation that was admitted was refused for another reason, without a call. */
  untried(processor: string): void {
    this.#circuits.get(processor)?.untried();
  }

  /** `kind`: of an outcome, a look-up's answer or a tokenization's, as the processor port grades them. */
  ended(processor: string, call: CircuitCallKind, kind: string): void {
    this.#circuits.get(processor)?.ended(call, isAnswer(kind));
  }
}

const isAway = (processor: string, waitMs: number): Rejection =>
  reject('ServiceUnavailable', `The processor ${processor} is not responding at the moment. Nothing was changed.`, {
    retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1_000)),
  });

const opened = (name: string, { windowMs, openMs }: CircuitLimits, calls: number, failed: number): string =>
  `The circuit of the processor ${name} is open: ${failed} of ${calls} calls in ${windowMs / 1_000} s were not answered. ` +
  `New operations get 503 until the processor responds; one operation every ${openMs / 1_000} s, and calls for existing payments, are let through.`;
