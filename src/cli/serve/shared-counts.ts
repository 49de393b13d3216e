// The counts that all workers share, in the supervisor: limits against card testing, of sign-ins and of requests.
import { CardTestingCountsInMemory } from '../../commands/limits/card-testing-counts.ts';
import { type Counter, type CounterKind, countersInMemory } from '../../commands/limits/counters.ts';
import { PermitPool, permitRule } from '../../commands/limits/permits.ts';
import { liveWorld } from '../../world.ts';
import type { CountCall } from './worker-messages.ts';

export class SharedCounts {
  readonly #permits: PermitPool;
  readonly #cardTesting = new CardTestingCountsInMemory();
  readonly #counters = new Map<string, Counter>();

  /** `requestsPerSecond` 0: no limit, and no worker asks. */
  constructor(requestsPerSecond: number, workers: number) {
    this.#permits = new PermitPool(permitRule(requestsPerSecond, workers), liveWorld.now);
  }

  /** The result, as JSON; undefined if a call has none. */
  async answer(call: CountCall): Promise<unknown> {
    switch (call.of) {
      case 'permits':
        return this.#permits.lease(call.key, call.second, call.wanted);
      case 'counter':
        return countedBy(this.#counter(call.kind), call);
      case 'tokenized':
        return this.#cardTesting.tokenized(call.sessionId, call.addressBlock);
      case 'look':
        return this.#cardTesting.look(call.attempted);
      case 'reserve':
        return this.#cardTesting.reserve(call.paymentId, call.attempted);
      case 'giveBack':
        return this.#cardTesting.giveBack(call.paymentId);
      case 'settled':
        return this.#cardTesting.settled(call.paymentId, call.declined);
      default:
        return call satisfies never;
    }
  }

  #counter(kind: CounterKind): Counter {
    const known = this.#counters.get(kind.name);
    if (known !== undefined) return known;
    const made = countersInMemory(kind);
    this.#counters.set(kind.name, made);
    return made;
  }
}

async function countedBy(counter: Counter, { act, key }: Extract<CountCall, { of: 'counter' }>): Promise<unknown> {
  if (act === 'delete') return void (await counter.delete(key));
  const counted = await counter[act](key);
  return counted === null ? null : { consumedPoints: counted.consumedPoints, msBeforeNext: counted.msBeforeNext };
}
