// Stops a request for good at its n-th step: an append, a call of the processor, or a write of a read model.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Around } from '../../../src/http/app.ts';
import type { Processor } from '../../../src/processors/processor.ts';
import { categoryOf } from '../../../src/stores/stream-name.ts';
import type { Stores } from '../../support/node.ts';
import { hookedEvents, hookedReadModels } from '../hooked-stores.ts';

/** The header of a request that names the step to stop at, from 1 on. */
export const STOP_AT_HEADER = 'x-test-stop-at';

/** The result of such a request: it stopped, or had fewer steps. Both name its steps. */
export interface Walked {
  readonly stopped: boolean;
  readonly steps: readonly string[];
}

interface Walk {
  readonly stopAt: number;
  readonly steps: string[];
}

/**
 * After the first request has stopped, only other such requests still reach the stores and the processor. So neither
 * the follower nor due work repairs the traces that a dead process would leave.
 */
export class Stepper {
  readonly #walks = new AsyncLocalStorage<Walk>();
  readonly #tell: (walked: Walked) => void;
  #isPaused = false;

  /** `tell` is called once for each request that names a step. */
  constructor(tell: (walked: Walked) => void) {
    this.#tell = tell;
  }

  /** Middleware that recognizes the requests that name a step. */
  readonly around: Around = async ({ req }, next) => {
    const stopAt = Number(req.headers[STOP_AT_HEADER]);
    if (Number.isNaN(stopAt)) {
      await next();
      return;
    }
    const walk: Walk = { stopAt, steps: [] };
    await this.#walks.run(walk, next);
    this.#tell({ stopped: false, steps: walk.steps });
  };

  /** The stores with a step before and after each append and each write. */
  stores(stores: Stores): Stores {
    const events = hookedEvents(stores.events, {
      together: true,
      before: ({ stream, types }) => this.#step(`before append ${categoryOf(stream)} ${types.join('+')}`),
      after: ({ stream, types }) => this.#step(`after append ${categoryOf(stream)} ${types.join('+')}`),
    });
    const readModels = hookedReadModels(
      stores.readModels,
      (verb, name) => (verb === 'write' ? this.#step(`before write ${name}`) : undefined),
      (_verb, name) => this.#step(`after write ${name}`),
    );
    return { ...stores, events, readModels };
  }

  /** The processor, with one step before each call is sent, and one after its effect and before its answer. */
  processor(processor: Processor): Processor {
    const around = async <T>(what: string, call: () => Promise<T>): Promise<T> => {
      await this.#step(`before ${what}`);
      const outcome = await call();
      await this.#step(`after ${what}`);
      return outcome;
    };
    return {
      name: processor.name,
      consistencyWindowMs: processor.consistencyWindowMs,
      capabilities: (...args) => processor.capabilities(...args),
      tokenize: (request, call) => around('tokenization', () => processor.tokenize(request, call)),
      perform: (request, call) => around(request.operation, () => processor.perform(request, call)),
      lookUp: (request, call) => around('look-up', () => processor.lookUp(request, call)),
      notifications: (...args) => processor.notifications(...args),
      reread: (raw) => processor.reread(raw),
    };
  }

  #step(name: string): Promise<void> | undefined {
    const walk = this.#walks.getStore();
    if (walk === undefined) return this.#isPaused ? forever() : undefined;
    if (walk.steps.length >= walk.stopAt) return forever(); // the request has stopped; this is concurrent work of it
    walk.steps.push(name);
    if (walk.steps.length < walk.stopAt) return undefined;
    this.#isPaused = true;
    this.#tell({ stopped: true, steps: walk.steps });
    return forever();
  }
}

const forever = (): Promise<never> => new Promise(() => undefined);
