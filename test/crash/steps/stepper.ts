// The hook that stops a request at its n-th step at a port (an append, a call of the processor, a write of a read model) for good.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Around } from '../../../src/http/app.ts';
import type { Processor } from '../../../src/processors/processor.ts';
import { categoryOf } from '../../../src/stores/stream-name.ts';
import type { Stores } from '../../support/node.ts';
import { hookedEvents, hookedReadModels } from '../hooked-stores.ts';

/** On a request: the step that it does not survive, from 1 on. */
export const STOP_AT_HEADER = 'x-test-stop-at';

/** The result of a request that was to stop: it did, or had fewer steps than that; in both cases which steps it took. */
export interface Walked {
  readonly stopped: boolean;
  readonly steps: readonly string[];
}

interface Walk {
  readonly stopAt: number;
  readonly steps: string[];
}

/**
 * From the moment that one request is paused, nothing leaves the process any more but effects of other requests that are to stop
 * as well: neither the follower nor due work repairs what a dead process would have left.
 */
export class Stepper {
  readonly #walks = new AsyncLocalStorage<Walk>();
  readonly #tell: (walked: Walked) => void;
  #isPaused = false;

  /** `tell` is called once for each request that was to stop. */
  constructor(tell: (walked: Walked) => void) {
    this.#tell = tell;
  }

  /** For the application: knows the requests that are to stop. */
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

  /** The processor with a step before each call is sent, and one when it has had its effect and its caller has not heard of it. */
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
    if (walk.steps.length >= walk.stopAt) return forever(); // it has stopped; this is another of its hands
    walk.steps.push(name);
    if (walk.steps.length < walk.stopAt) return undefined;
    this.#isPaused = true;
    this.#tell({ stopped: true, steps: walk.steps });
    return forever();
  }
}

const forever = (): Promise<never> => new Promise(() => undefined);
