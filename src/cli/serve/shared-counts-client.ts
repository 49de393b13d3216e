// The shared counts as a worker has them: calls to the supervisor, those of one turn of the event loop in one message.
import { z } from 'zod';
import { CARD_TESTING_LIMITS, type ReachedLimit } from '../../commands/limits/card-testing-counts.ts';
import type { KeyCount } from '../../commands/limits/counters.ts';
import { Permits, permitRule } from '../../commands/limits/permits.ts';
import type { SharedLimits } from '../../commands/limits/shared-limits.ts';
import { atEndOfTurn, liveWorld } from '../../world.ts';
import type { CountCall, FromWorker } from './worker-messages.ts';

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
