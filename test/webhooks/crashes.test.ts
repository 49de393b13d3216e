// A process dies at any step of queueing and delivering: the next one tells the rest, and the chain has no hole.
import { expect } from 'chai';
import type { Post } from '../../src/commands/webhooks/post.ts';
import { hookedEvents, hookedReadModels } from '../crash/hooked-stores.ts';
import { memoryStores, type Stores } from '../support/node.ts';
import { until } from '../support/until.ts';
import { brokenChains, type Told } from './chain.ts';
import { addEndpoint, newAccount, pay, queued, runNode, toldIn } from './told-node.ts';

const forever = (): Promise<never> => new Promise(() => undefined);
/** Read models whose writes are steps of a delivery. */
const ON_THE_WAY = new Set(['payment-messages', 'webhook-queues', 'sweeps']);

/** Dies before its n-th step, or never. From then on it reaches no store, and calls nobody. */
class Steps {
  readonly names: string[] = [];
  readonly #diesAt: number;
  #die: () => void = () => undefined;
  readonly death = new Promise<void>((resolve) => {
    this.#die = resolve;
  });

  constructor(diesAt = Number.POSITIVE_INFINITY) {
    this.#diesAt = diesAt;
  }

  get isDead(): boolean {
    return this.names.length >= this.#diesAt;
  }

  /** Undefined as long as it lives: a step more or less costs no turn. */
  take(name: string): Promise<never> | undefined {
    if (this.isDead) return forever();
    this.names.push(name);
    if (!this.isDead) return undefined;
    this.#die();
    return forever();
  }
}

const mortal = (stores: Stores, steps: Steps): Stores => ({
  ...stores,
  events: hookedEvents(stores.events, {
    before: ({ types }) => steps.take(`before ${types.join()}`),
    after: ({ types }) => steps.take(`after ${types.join()}`),
    reading: () => (steps.isDead ? forever() : undefined),
  }),
  readModels: hookedReadModels(
    stores.readModels,
    (verb, name) =>
      steps.isDead ? forever() : verb === 'write' && ON_THE_WAY.has(name) ? steps.take(`before ${name}`) : undefined,
    (_verb, name) => (ON_THE_WAY.has(name) ? steps.take(`after ${name}`) : undefined),
  ),
});

/** A payment with two messages, to two receivers, by a process that dies at its n-th step, and by another one then. */
async function survives(
  diesAt: number,
): Promise<{ readonly died: boolean; readonly last: string | undefined; readonly twice: number }> {
  const stores = await memoryStores();
  const received = new Map<string, Told[]>();
  const take = ({ url, body }: { readonly url: string; readonly body: string }): void => {
    received.set(url, [...(received.get(url) ?? []), toldIn(body)]);
  };
  const post: Post = async (call) => {
    take(call);
    return { status: 200, body: '' };
  };
  // A process that calls nobody makes the work, and ends.
  const shop = await runNode(stores, { post: forever });
  const accountId = await newAccount(shop.service);
  await shop.end();
  for (const name of ['one', 'two']) await addEndpoint(shop.service, accountId, `http://${name}.example/`);
  await pay(shop.service, accountId, { captured: true });
  const steps = new Steps(diesAt);
  /** The process that dies: its calls, and the attempts that it has recorded. */
  const made = { calls: 0, records: 0 };
  const events = hookedEvents(stores.events, {
    after: ({ types }) => {
      made.records += types.filter((type) => type === 'MessageDelivered').length;
    },
  });
  const dying = runNode(mortal({ ...stores, events }, steps), {
    post: async (call) => {
      await steps.take('before the call');
      take(call);
      made.calls += 1;
      await steps.take('after the call');
      return { status: 200, body: '' };
    },
  });
  const lived = dying.then(async (node) => {
    await until(async () => steps.isDead || (await queued(node.service))['delivered'] === 4);
    if (!steps.isDead) await node.end();
  });
  await Promise.race([steps.death, lived]);
  const died = steps.isDead;

  const next = await runNode(stores, { post });
  await until(async () => (await queued(next.service))['delivered'] === 4);
  await next.end();
  // The responses that the dead process waits for never come. Its timers would run on, and keep the tests' own process
  // busy.
  if (died) void dying.then((node) => node.end());
  expect(next.reported).to.deep.equal([]);
  const all = [...received.values()].flat();
  expect([...received.values()].flatMap(brokenChains)).to.deep.equal([]);
  for (const told of received.values()) expect(new Set(told.map(({ eventId }) => eventId)).size).to.equal(2);
  const twice = all.length - 4;
  if (died) expect(twice, `calls made again after ${steps.names.at(-1)}`).to.equal(made.calls - made.records);
  return { died, last: steps.names.at(-1), twice };
}

describe('webhooks of a process that dies', () => {
  it('reach every receiver, whichever step it died at, and only calls that are on no record are made again, once', async () => {
    const died: string[] = [];
    let twice = 0;
    for (let at = 1; ; at += 1) {
      const done = await survives(at);
      if (!done.died) break;
      died.push(done.last ?? '');
      twice += done.twice;
    }
    expect(died).to.include.members([
      'before MessageQueued,MessageQueued',
      'before the call',
      'after the call',
      'before MessageDelivered,MessageDelivered',
      'before sweeps',
      'after sweeps',
    ]);
    console.log(`      died at ${died.length} steps; ${twice} calls were made twice`);
  });
});
