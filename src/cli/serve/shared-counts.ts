// The counts that all workers share, in the supervisor: limits against card testing, of sign-ins and of requests; and
// as a worker has them, by calls to the supervisor, those of one turn of the event loop in one message.
import { z } from 'zod';
import {
  CARD_TESTING_LIMITS,
  CardTestingCountsInMemory,
  type ReachedLimit,
} from '../../commands/limits/card-testing-counts.ts';
import { type Counter, type CounterKind, countersInMemory, type KeyCount } from '../../commands/limits/counters.ts';
import type { SharedLimits } from '../../commands/limits/permits.ts';
import { PermitPool, Permits, permitRule } from '../../commands/limits/permits.ts';
import { atEndOfTurn, liveWorld } from '../../world.ts';
import type { CountCall, FromWorker } from './worker-messages.ts';

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

const Count = z.object({ consumedPoints: z.number(), msBeforeNext: z.number() });
const Reply = z
  .object({ limit: z.enum(CARD_TESTING_LIMITS), key: z.string(), msBeforeNext: z.number(), isNew: z.boolean() })
  .nullish()
  .transform((reached) => reached ?? undefined);

/** The response if the supervisor no longer counts. */
const NOTHING: KeyCount = { consumedPoints: 0, msBeforeNext: 0 };

/** Nothing is limited once the supervisor is gone: no call rejects, and none waits for ever. */
export class SharedCountsClient {
  readonly #tell: (message: FromWorker) => Promise<void>;
  readonly #waiting = new Map<number, (result: unknown) => void>();
  #calls: [number, CountCall][] = [];
  #next = 0;
  #isOver = false;

  constructor(tell: (message: FromWorker) => Promise<void>) {
    this.#tell = tell;
  }

  /** The supervisor's results, by the numbers of the calls. */
  counted(results: readonly (readonly [number, unknown])[]): void {
    for (const [number, result] of results) {
      this.#waiting.get(number)?.(result);
      this.#waiting.delete(number);
    }
  }

  /** The supervisor is gone, and this worker ends: what it still does is limited no more. */
  end(): void {
    this.#isOver = true;
    for (const settle of this.#waiting.values()) settle(undefined);
    this.#waiting.clear();
  }

  /** `requestsPerSecond`: 0 without a limit. `workers`: how many there are, 2 or more. */
  limits(requestsPerSecond: number, workers: number): SharedLimits {
    const lease = async (key: string, second: number, wanted: number): Promise<number> =>
      z
        .number()
        .default(wanted)
        .parse(await this.#call({ of: 'permits', key, second, wanted }));
    const reached = async (call: CountCall): Promise<ReachedLimit | undefined> => Reply.parse(await this.#call(call));
    return {
      requests: new Permits(permitRule(requestsPerSecond, workers), lease, liveWorld.now),
      counters: (kind) => {
        const count = async (act: 'penalty' | 'reward', key: string): Promise<KeyCount> =>
          Count.default(NOTHING).parse(await this.#call({ of: 'counter', kind, act, key }));
        return {
          penalty: (key) => count('penalty', key),
          reward: (key) => count('reward', key),
          get: async (key) => Count.nullish().parse(await this.#call({ of: 'counter', kind, act: 'get', key })) ?? null,
          delete: (key) => this.#call({ of: 'counter', kind, act: 'delete', key }),
        };
      },
      cardTesting: {
        tokenized: (sessionId, addressBlock) => reached({ of: 'tokenized', sessionId, addressBlock }),
        look: (attempted) => reached({ of: 'look', attempted }),
        reserve: (paymentId, attempted) => reached({ of: 'reserve', paymentId, attempted }),
        giveBack: (paymentId) => void this.#call({ of: 'giveBack', paymentId }),
        settled: async (paymentId, declined) => void (await this.#call({ of: 'settled', paymentId, declined })),
      },
    };
  }

  #call(call: CountCall): Promise<unknown> {
    if (this.#isOver) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      this.#next += 1;
      this.#waiting.set(this.#next, resolve);
      this.#calls.push([this.#next, call]);
      if (this.#calls.length === 1) atEndOfTurn(() => void this.#tell({ kind: 'count', calls: this.#calls.splice(0) }));
    });
  }
}
