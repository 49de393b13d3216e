// A process that dies at its n-th append: from then on no call of it reaches a store or the processor.
import type { Timings } from '../../src/commands/payment-timings.ts';
import type { Processor } from '../../src/processors/processor.ts';
import type { Service } from '../../src/service.ts';
import { nodeOn, type Stores } from '../support/node.ts';
import { type Script, scripted } from '../support/scripted-processor.ts';
import { hookedEvents } from './hooked-stores.ts';

export interface Dies {
  /** The number of the append at which the process dies; 1 is the first. */
  readonly at: number;
  readonly when: 'before' | 'after';
}

/**
 * Lets a process die before and after each of its appends, until it lives through its work; answers how often it died.
 * `retryAtOnce`: every other time.
 */
export async function everyDeath(survives: (dies: Dies, retryAtOnce: boolean) => Promise<boolean>): Promise<number> {
  let points = 0;
  for (const when of ['before', 'after'] as const) {
    for (let at = 1; await survives({ at, when }, at % 2 === 0); at += 1) points += 1;
  }
  return points;
}

/** How a mortal process differs from others. */
export interface MortalKind {
  /** Its store appends to several streams at once. */
  readonly together?: boolean | undefined;
  /** Its processor prepares authorizations before it is asked for them. */
  readonly prepares?: boolean | undefined;
}

/** The sandbox as a processor of two steps. */
export const inTwoSteps = (script: Script = {}): Script => ({
  ...script,
  prepare: async ({ reference }) => ({ kind: 'prepared', processorTransactionId: `made for ${reference}` }),
});

/** A process that can die on order. From then on no call of it reaches a store or the processor. */
export class Mortal {
  readonly #stores: Stores;
  readonly #kind: MortalKind;
  readonly #death: Promise<void>;
  #dies: Dies | undefined;
  #appends = 0;
  #isDead = false;
  #tellDeath: () => void = () => undefined;

  constructor(stores: Stores, kind: MortalKind = {}) {
    this.#stores = stores;
    this.#kind = kind;
    this.#death = new Promise((resolve) => {
      this.#tellDeath = resolve;
    });
  }

  async open(timings: Timings): Promise<Service> {
    const { service } = await nodeOn(
      { ...this.#stores, events: this.#events() },
      { timings, processor: this.#processor() },
    );
    return service;
  }

  /** Does the work with a death planned. True if the process died. */
  async diesOf(work: () => Promise<unknown>, dies: Dies): Promise<boolean> {
    this.#dies = dies;
    await Promise.race([work(), this.#death]);
    return this.#isDead;
  }

  #events() {
    return hookedEvents(this.#stores.events, {
      together: this.#kind.together === true,
      before: () => {
        if (this.#isDead) return forever();
        if (this.#dies !== undefined) this.#appends += 1;
        return this.#isTimeTo('before') ? this.#die() : undefined;
      },
      after: () => (this.#isTimeTo('after') ? this.#die() : undefined),
    });
  }

  #processor(): Processor {
    const { sandbox } = this.#stores;
    const alive = <T>(work: () => Promise<T>): Promise<T> => (this.#isDead ? forever() : work());
    const script: Script = {
      tokenize: (request, call) => alive(() => sandbox.tokenize(request, call)),
      perform: (request, call) => alive(() => sandbox.perform(request, call)),
      lookUp: (request, call) => alive(() => sandbox.lookUp(request, call)),
      fence: (request, call) => alive(() => sandbox.fence(request, call)),
      dispute: (request, call) => alive(() => sandbox.dispute(request, call)),
      lookUpDispute: (request, call) => alive(() => sandbox.lookUpDispute(request, call)),
    };
    return scripted(sandbox, this.#kind.prepares === true ? inTwoSteps(script) : script);
  }

  #isTimeTo(when: Dies['when']): boolean {
    return this.#dies?.at === this.#appends && this.#dies.when === when;
  }

  #die(): Promise<never> {
    this.#isDead = true;
    this.#tellDeath();
    return forever();
  }
}

const forever = (): Promise<never> => new Promise(() => undefined);
