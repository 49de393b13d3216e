// Keyed writes on nodes that race, lose answers and die: whatever came between, a key has one effect, and no answer
// lies about it.
import { EventEmitter, once } from 'node:events';
import { expect } from 'chai';
import { z } from 'zod';
import { type Answer, completed } from '../../src/commands/caller.ts';
import { leftBy, transactFor } from '../../src/commands/effect.ts';
import { Idempotency, replayed } from '../../src/commands/idempotency.ts';
import { category, event } from '../../src/domain/category.ts';
import { accept, type Decider, reject } from '../../src/domain/decider.ts';
import { idempotency } from '../../src/domain/idempotency.ts';
import { unseal } from '../../src/journal/envelope.ts';
import { Streams } from '../../src/journal/streams.ts';
import { StoreKey } from '../../src/secrets.ts';
import type { EventStore } from '../../src/stores/event-store.ts';
import { openMemoryEventStore } from '../../src/stores/memory/event-store.ts';
import { StoreUnavailable } from '../../src/stores/store-unavailable.ts';
import type { World } from '../../src/world.ts';
import { between, chance, type Random, randomBytesOf, randomOf } from '../simulation/random.ts';
import { calmWorld } from '../support/calm-world.ts';

const boxCategory = category(
  'box',
  z.discriminatedUnion('type', [event('Put', z.strictObject({ key: z.string(), amount: z.int() }))]),
);
type BoxEvent = z.infer<typeof boxCategory.event>;
interface Box {
  readonly held: number;
}
const box: Decider<Box, BoxEvent> = {
  category: boxCategory,
  initial: { held: 0 },
  evolve: ({ held }, { data }) => ({ held: held + data.amount }),
};
const HOLDS = 3;
const fits = (held: number, amount: number): boolean => held + amount >= 0 && held + amount <= HOLDS;
const put =
  (key: string, amount: number) =>
  ({ held }: Box) => {
    if (amount === 0) return accept<BoxEvent>();
    return fits(held, amount)
      ? accept<BoxEvent>({ type: 'Put', data: { key, amount } })
      : reject('PreconditionFailed', 'does not fit');
  };

/** The work under way; one step of it happens at a time, at random. */
class Crossing {
  readonly random: Random;
  readonly #steps: (() => void)[] = [];

  constructor(random: Random) {
    this.random = random;
  }

  step(): Promise<void> {
    return new Promise((go) => this.#steps.push(go));
  }

  /** Runs until no work is in progress. */
  async run(between: () => void): Promise<void> {
    for (;;) {
      await new Promise((settled) => setImmediate(settled));
      if (this.#steps.length === 0) return;
      between();
      this.#steps.splice(Math.floor(this.random() * this.#steps.length), 1)[0]?.();
    }
  }
}

/** A node's time: a dead node learns of no result, and sends no further call. */
class Life {
  isOver = false;
  over: () => void = () => undefined;
  readonly end = new Promise<'died'>((died) => {
    this.over = () => {
      this.isOver = true;
      died('died');
    };
  });
}

/**
 * The store as a node sees it: late, unavailable before the effect or after it, an effect that comes after the answer.
 */
function distant(store: EventStore, crossing: Crossing, life: Life, trouble: number): EventStore {
  const { random } = crossing;
  const back = async <T>(answer: T): Promise<T> => {
    await crossing.step();
    return life.isOver ? new Promise<never>(() => undefined) : answer;
  };
  return {
    ...store,
    async append(stream, after, events) {
      if (life.isOver) return new Promise<never>(() => undefined);
      if (chance(random, trouble)) throw await back(new StoreUnavailable('away'));
      const there = crossing.step().then(() => store.append(stream, after, events));
      if (chance(random, trouble)) throw await back(new StoreUnavailable('lost', { outcomeUnknown: true }));
      return back(await there);
    },
    async *read(stream, after) {
      await back(undefined);
      const list = [];
      for await (const stored of store.read(stream, after)) list.push(stored);
      yield* await back(list);
    },
  };
}

interface Told {
  readonly key: string;
  readonly amount: number;
  /** The box's newest revision when the call began and when it was answered. */
  readonly from: number;
  readonly to: number;
  readonly answer: Answer<Box>;
}

class Node {
  readonly life = new Life();
  readonly #boxes: Streams<Box, BoxEvent>;
  readonly #operations: Idempotency;

  /** `seen`: the store as this node sees it. */
  constructor(seen: (life: Life) => EventStore, world: World) {
    const parts = { events: seen(this.life), world, report: () => undefined };
    this.#boxes = new Streams(box, parts, async () => undefined);
    const records = new Streams(idempotency, parts, async () => undefined);
    this.#operations = new Idempotency({
      records,
      storeKey: new StoreKey(Buffer.alloc(32)),
      world,
      mayWrite: () => undefined,
    });
  }

  async put(key: string, amount: number, at: number): Promise<Answer<Box>> {
    const caller = {
      accountId: 'a',
      actor: { kind: 'operator', id: 't' },
      at,
      requestId: 'r',
      scopes: new Set<string>(),
      address: '',
    } as const;
    using operation = await this.#operations.open({ ...caller, idempotency: { key, request: key } }, 'put');
    const begun = await operation.begin({ streams: this.#boxes, resource: { id: 'one' } });
    if (begun.kind === 'rejected') return begun;
    if (begun.kind === 'repeated') return replayed(completed('one', await this.#boxes.at('one', begun.revision)));
    const done = await transactFor(begun, this.#boxes, put(key, amount));
    if (done.kind === 'rejected') return operation.end(begun, done, 'nothing');
    const answer = completed('one', await leftBy(this.#boxes, 'one', done));
    return operation.end(begun, answer, done.kind === 'unchanged' ? 'nothing' : 'appended');
  }
}

const TRANSIENT: ReadonlySet<string> = new Set(['IdempotencyKeyInProgress', 'Conflict']);

/** A world of some keys, each tried by three callers until they know; answers their answers and the log. */
async function race(
  seed: number,
): Promise<{ readonly told: readonly Told[]; readonly store: ReturnType<typeof openMemoryEventStore> }> {
  const random = randomOf('keyed writes', seed);
  const crossing = new Crossing(random);
  const world: World = { ...calmWorld, now: () => 1_000, randomBytes: randomBytesOf(random) };
  const store = openMemoryEventStore();
  const trouble = random() * 0.2;
  const open = (): Node => new Node((life) => distant(store, crossing, life, trouble), world);
  const nodes = Array.from({ length: between(random, 1, 3) }, open);
  const told: Told[] = [];
  const head = (): number => store.listed('box-one', -1).length - 1;
  const call = async (key: string, amount: number): Promise<void> => {
    for (let tries = 0; tries < 30; tries += 1) {
      const node = nodes[Math.floor(random() * nodes.length)] ?? open();
      const from = head();
      const done = await Promise.race([node.put(key, amount, 1_000).catch((): 'away' => 'away'), node.life.end]);
      if (typeof done === 'string') continue;
      told.push({ key, amount, from, to: head(), answer: done });
      if (done.kind === 'completed' || !TRANSIENT.has(done.errorId)) return;
    }
  };
  const keys = between(random, 2, 6);
  for (let key = 0; key < keys; key += 1) {
    const amount = chance(random, 0.1) ? 0 : chance(random, 0.5) ? HOLDS : -HOLDS;
    for (let callers = 0; callers < 3; callers += 1) void crossing.step().then(() => call(`k${key}`, amount));
  }
  await crossing.run(() => {
    if (!chance(random, 0.004)) return;
    const place = Math.floor(random() * nodes.length);
    const node = nodes[place];
    node?.life.over();
    nodes[place] = open();
  });
  return { told, store };
}

/** A store that releases a key when `go` is called; `reached`: it was asked to. */
function slowToRelease(): { readonly events: EventStore; readonly reached: Promise<unknown>; readonly go: () => void } {
  const events = openMemoryEventStore();
  const gate = new EventEmitter();
  const gone = once(gate, 'go');
  const append = events.append.bind(events);
  events.append = async (stream, after, written) => {
    if (written.some(({ type }) => type === 'IdempotencyReleased')) {
      gate.emit('reached');
      await gone;
    }
    return append(stream, after, written);
  };
  return { events, reached: once(gate, 'reached'), go: () => gate.emit('go') };
}

/** Compares each answer with the log; answers the counts of each kind. */
function judge(
  seed: number,
  told: readonly Told[],
  effects: readonly BoxEvent['data'][],
): { readonly refused: number; readonly replayed: number } {
  const helds = [0];
  for (const { amount } of effects) helds.push((helds.at(-1) ?? 0) + amount);
  const seen = { refused: 0, replayed: 0 };
  for (const { key, amount, from, to, answer } of told) {
    const why = `seed ${seed}: ${key} of ${amount}, ${JSON.stringify(answer)}, ${JSON.stringify(effects)}`;
    const place = effects.findIndex((effect) => effect.key === key);
    if (answer.kind === 'completed' && amount !== 0) {
      expect([answer.revision, answer.doc.held], why).to.deep.equal([place, helds[place + 1]]);
      seen.replayed += answer.replayed === true ? 1 : 0;
    } else if (answer.kind === 'rejected' && answer.errorId === 'PreconditionFailed') {
      // At some revision while it was asked: then it did not fit, and was not in the box yet.
      const wasTrue = helds.some(
        (held, at) => at > from && at <= to + 1 && !fits(held, amount) && (place < 0 || place >= at),
      );
      expect(wasTrue, why).to.equal(true);
      seen.refused += 1;
    }
  }
  return seen;
}

describe('keyed writes on nodes that race, lose answers and die', () => {
  it('have one effect a key, are answered by it, and are refused only when that was true', async () => {
    const seen = { effects: 0, refused: 0, replayed: 0 };
    for (let seed = 0; seed < 300; seed += 1) {
      const { told, store } = await race(seed);
      const effects = store.listed('box-one', -1).map((stored) => unseal(boxCategory, stored).event.data);
      const keys = effects.map(({ key }) => key);
      expect(keys, `seed ${seed}`).to.deep.equal([...new Set(keys)]);
      const { refused, replayed } = judge(seed, told, effects);
      seen.effects += keys.length;
      seen.refused += refused;
      seen.replayed += replayed;
    }
    for (const count of Object.values(seen)) expect(count).to.be.greaterThan(100);
  });

  it('are in progress until a refusal has freed their key', async () => {
    const { events, reached, go } = slowToRelease();
    const world = { ...calmWorld, now: () => 1_000, randomBytes: randomBytesOf(randomOf('a refusal', 1)) };
    const node = new Node(() => events, world);
    const call = (): Promise<Answer<Box>> => node.put('k', HOLDS + 1, 1_000);
    const first = call();
    await Promise.race([reached, first]);
    expect(await call()).to.deep.include({ kind: 'rejected', errorId: 'IdempotencyKeyInProgress' });
    go();
    expect(await first).to.deep.include({ kind: 'rejected', errorId: 'PreconditionFailed' });
    expect(await call()).to.deep.include({ kind: 'rejected', errorId: 'PreconditionFailed' });
  });
});
