// Personal members are encrypted before the chain is made, under the key of their person, and destroyed with it.
import { expect } from 'chai';
import { z } from 'zod';
import { category, event } from '../../src/domain/category.ts';
import { accept, type Decider } from '../../src/domain/decider.ts';
import { personal } from '../../src/domain/personal.ts';
import { type StoreEvent, store as storeDecider } from '../../src/domain/store.ts';
import { breakIn } from '../../src/journal/chain.ts';
import { actsIn, recordDestruction, tombstonesOf } from '../../src/journal/destroyed-keys.ts';
import { personalKeyIn } from '../../src/journal/envelope.ts';
import { keyStoreIdOf, PersonalKeys, withKeys } from '../../src/journal/personal-keys.ts';
import { KeysNotRewrapped, type RewrapParts, rewrapKeys } from '../../src/journal/rewrap-keys.ts';
import { checkKeyStore, openStoreStamp, recordBeforeBreak, recordBoundKeys } from '../../src/journal/store-stamp.ts';
import { Streams } from '../../src/journal/streams.ts';
import { transact } from '../../src/journal/transact.ts';
import { Secrets, StoreKey, unwrapped } from '../../src/secrets.ts';
import type { StoredEvent } from '../../src/stores/event-store.ts';
import type { KeyStore } from '../../src/stores/key-store.ts';
import { openMemoryEventStore } from '../../src/stores/memory/event-store.ts';
import { openMemoryKeyStore } from '../../src/stores/memory/key-store.ts';
import { StoreUnavailable } from '../../src/stores/store-unavailable.ts';
import { eventsIn, faultOf } from '../contract/store-under-test.ts';
import { calmWorld } from '../support/calm-world.ts';

const guestCategory = category(
  'guest',
  z.discriminatedUnion('type', [
    event('Came', z.strictObject({ who: z.string(), name: personal(z.string()).optional() })),
  ]),
);
type GuestEvent = z.infer<typeof guestCategory.event>;
interface Guest {
  readonly names: readonly (string | undefined)[];
}
const guest: Decider<Guest, GuestEvent> = {
  category: guestCategory,
  initial: { names: [] },
  subjectOf: (_, { data }) => ({ accountId: 'a', customerId: data.who, otherwise: '' }),
  evolve: ({ names }, { data }) => ({ names: [...names, data.name] }),
};
const context = {
  accountId: 'a',
  actor: { kind: 'operator' as const, id: 'test' },
  at: 1,
  correlationId: 'r',
  operationId: 'o',
};
const came = (who: string, name?: string) => () =>
  accept<GuestEvent>({ type: 'Came', data: { who, ...(name !== undefined && { name }) } });
const subject = (customerId: string) => ({ accountId: 'a', customerId, otherwise: '' });
/** Longer than any process uses a key without asking. */
const SEEN_MS = 3_001;

describe('the keys of personal data', () => {
  let passedMs = 0;
  const world = { ...calmWorld, monotonic: () => passedMs };
  let store: KeyStore;
  const events = { current: openMemoryEventStore() };
  const secrets = new Secrets([Buffer.alloc(32, 7)]);
  const storeKey = new StoreKey(Buffer.alloc(32, 9));

  interface Node {
    readonly keys: PersonalKeys;
    readonly guests: Streams<Guest, GuestEvent>;
  }
  const node = (of: KeyStore = store, by = secrets): Node => {
    const keys = new PersonalKeys({ store: of, secrets: by, storeKey, world });
    const guests = new Streams(
      guest,
      { events: withKeys(events.current, keys), world, report: () => undefined, keys },
      async () => undefined,
    );
    return { keys, guests };
  };
  const namesIn = async ({ guests }: Node, id: string) => (await guests.inLog(id)).state.names;
  const stored = (id: string): Promise<readonly StoredEvent[]> => eventsIn(events.current, `guest-${id}`);
  const keyOf = async (id: string): Promise<{ readonly id: string; readonly wrapped: string }> => {
    const [event] = await stored(id);
    const [key] = await store.get([(event && personalKeyIn(event)) ?? '']);
    return { id: key?.id ?? '', wrapped: key?.wrapped ?? '' };
  };
  const rewrapping = (by: Secrets, takesUnbound = true): RewrapParts => ({
    store,
    openAgain: async () => store,
    secrets: by,
    world,
    keyStoreId: keyStoreIdOf(storeKey),
    takesUnbound,
  });
  const erase = async ({ keys }: Node, who: string): Promise<void> => {
    const retired = await keys.retire(subject(who));
    passedMs += SEEN_MS;
    await keys.destroy(retired?.ids ?? [], world.now());
    passedMs += SEEN_MS;
  };

  beforeEach(() => {
    store = openMemoryKeyStore();
    events.current = openMemoryEventStore();
  });

  it('keep the name out of the log, and in every fold', async () => {
    const one = node();
    await transact(one.guests, 'g1', context, came('ada', 'Ada Lovelace'));
    await transact(one.guests, 'g1', context, came('ada', 'Ada King'));
    const [first, second] = await stored('g1');
    expect(`${first?.data} ${second?.data}`).to.not.match(/Ada|Lovelace|King/);
    expect(JSON.parse(first?.data ?? '')).to.include({ who: 'ada' });
    expect(await namesIn(node(), 'g1')).to.deep.equal(['Ada Lovelace', 'Ada King']);
    expect(await breakIn(events.current, 'guest-g1')).to.equal(undefined);
  });

  it('are one for each person, and none for an event without personal members', async () => {
    const one = node();
    await transact(one.guests, 'g1', context, came('ada', 'Ada'));
    await transact(one.guests, 'g2', context, came('ada', 'Ada'));
    await transact(one.guests, 'g3', context, came('bob', 'Bob'));
    await transact(one.guests, 'g4', context, came('eve'));
    expect(await store.list('', 10)).to.have.length(2);
    expect((await stored('g4'))[0]?.metadata).to.not.include('personalKey');
  });

  it('are the same for processes that need the first one at once', async () => {
    const nodes = [node(), node(), node()];
    await Promise.all(nodes.map((one, n) => transact(one.guests, `g${n}`, context, came('ada', `Ada ${n}`))));
    expect(await store.list('', 10)).to.have.length(1);
    expect(await namesIn(node(), 'g2')).to.deep.equal(['Ada 2']);
  });

  it('erase the person everywhere when they are destroyed, and nobody else', async () => {
    const [one, other] = [node(), node()];
    await transact(one.guests, 'g1', context, came('ada', 'Ada'));
    await transact(one.guests, 'g2', context, came('bob', 'Bob'));
    expect(await namesIn(other, 'g1')).to.deep.equal(['Ada']);
    await erase(one, 'ada');
    for (const each of [one, other, node()]) {
      await each.keys.look();
      const seen = new Streams(
        guest,
        { events: withKeys(events.current, each.keys), world, report: () => undefined, keys: each.keys },
        async () => undefined,
      );
      expect((await seen.inLog('g1')).state.names).to.deep.equal([undefined]);
      expect((await seen.inLog('g2')).state.names).to.deep.equal(['Bob']);
    }
    expect(await breakIn(events.current, 'guest-g1')).to.equal(undefined);
  });

  it('are new ones for a person who returns, in a process that knew the destroyed one, too', async () => {
    const [one, other] = [node(), node()];
    await transact(one.guests, 'g1', context, came('ada', 'Ada'));
    await transact(other.guests, 'g1', context, came('ada', 'Ada 2'));
    await erase(one, 'ada');
    await transact(other.guests, 'g1', context, came('ada', 'Ada again'));
    expect(await namesIn(node(), 'g1')).to.deep.equal([undefined, undefined, 'Ada again']);
  });

  it('forget what was read with them in every process that looks', async () => {
    const [one, other] = [node(), node()];
    await transact(one.guests, 'g1', context, came('ada', 'Ada'));
    await other.keys.look();
    let forgotten = 0;
    other.keys.onForget(() => {
      forgotten += 1;
    });
    await other.keys.look();
    expect(forgotten).to.equal(0);
    await erase(one, 'ada');
    await other.keys.look();
    expect(forgotten).to.equal(1);
  });

  it('are not remembered when they were destroyed while a process read them', async () => {
    const one = node();
    await transact(one.guests, 'g1', context, came('ada', 'Ada'));
    const [event] = await stored('g1');
    if (event === undefined) throw new Error('no event');
    let respond = (): void => undefined;
    const responded = new Promise<void>((resolve) => {
      respond = resolve;
    });
    let isAsked = (): void => undefined;
    const asked = new Promise<void>((resolve) => {
      isAsked = resolve;
    });
    const get: KeyStore['get'] = async (ids) => {
      const found = await store.get(ids);
      isAsked();
      await responded;
      return found;
    };
    const slow = node({ ...store, get });
    const reading = slow.keys.keyed([event]);
    await asked;
    await erase(one, 'ada');
    await slow.keys.look();
    respond();
    await reading;
    expect((await slow.keys.keyed([event]))[0]?.key).to.equal('destroyed');
  });

  it('open under their own id alone: the key of another person in its place is damaged', async () => {
    const one = node();
    await one.keys.keyStoreName(false);
    await transact(one.guests, 'g1', context, came('ada', 'Ada'));
    await transact(one.guests, 'g2', context, came('bob', 'Bob'));
    const [its, others] = [await keyOf('g1'), await keyOf('g2')];
    await store.rewrap([{ id: its.id, from: its.wrapped, to: others.wrapped }]);
    expect(String(await faultOf(namesIn(node(), 'g1')))).to.include('damaged');
    expect(await namesIn(node(), 'g2')).to.deep.equal(['Bob']);
  });

  it('of the form that is not bound to an id open until they are rewrapped, and never after that', async () => {
    const one = node();
    await one.keys.keyStoreName(false);
    await transact(one.guests, 'g1', context, came('ada', 'Ada'));
    const bound = await keyOf('g1');
    const key = unwrapped(secrets.keys('personal-key-wrap'), bound.wrapped, bound.id)?.key;
    const unbound = secrets.wrap(key ?? Buffer.alloc(0), calmWorld, 'personal-key-wrap');
    const put = (from: string) => store.rewrap([{ id: bound.id, from, to: unbound }]);
    await put(bound.wrapped);
    expect(await namesIn(node(), 'g1')).to.deep.equal(['Ada']);
    const { signal } = new AbortController();
    expect(await rewrapKeys(rewrapping(secrets), signal)).to.deep.equal({ keys: 2, rewrapped: 1, unopened: 0 });
    await put((await keyOf('g1')).wrapped);
    const after = node();
    after.keys.refuseUnbound();
    expect(String(await faultOf(namesIn(after, 'g1')))).to.include('damaged');
    expect(await rewrapKeys(rewrapping(secrets, false), signal)).to.include({ rewrapped: 0, unopened: 1 });
  });

  it('are read back after they were wrapped again, and compared with what they were', async () => {
    await transact(node().guests, 'g1', context, came('ada', 'Ada'));
    const rotated = new Secrets([Buffer.alloc(32, 8), Buffer.alloc(32, 7)]);
    const { id } = await keyOf('g1');
    const other = rotated.wrap(Buffer.alloc(32, 1), calmWorld, 'personal-key-wrap', id);
    const lies: readonly (readonly [string, KeyStore])[] = [
      ['nothing was written', { ...store, rewrap: async () => undefined }],
      [
        'another key was written',
        { ...store, rewrap: (some) => store.rewrap(some.map((one) => ({ ...one, to: other }))) },
      ],
    ];
    for (const [what, lying] of lies) {
      const fault = await faultOf(rewrapKeys({ ...rewrapping(rotated), store: lying }, new AbortController().signal));
      expect(fault, what).to.be.instanceOf(KeysNotRewrapped).with.property('message').that.includes(id);
    }
  });

  it('break the stream, in words, when one is lost, which is not an erasure', async () => {
    await transact(node().guests, 'g1', context, came('ada', 'Ada'));
    const fault = await faultOf(namesIn(node(openMemoryKeyStore()), 'g1'));
    expect(String(fault))
      .to.match(/BrokenStream|broken/)
      .and.to.match(/key store, which is damaged or older/);
  });

  it('break the stream when another key has the place of the right one', async () => {
    const one = node();
    await transact(one.guests, 'g1', context, came('ada', 'Ada'));
    const [key] = await store.list('', 10);
    const wrong = openMemoryKeyStore();
    const world32 = { randomBytes: (size: number) => Buffer.alloc(size, 3) };
    await wrong.putIfAbsent(key?.id ?? '', secrets.wrap(Buffer.alloc(32, 1), world32, 'personal-key-wrap'));
    expect(String(await faultOf(namesIn(node(wrong), 'g1')))).to.include('does not open with the key');
  });

  it('cannot be moved to another event with the text that they encrypt', async () => {
    const one = node();
    await transact(one.guests, 'g1', context, came('ada', 'Ada'));
    await transact(one.guests, 'g1', context, came('ada', 'Ada King'));
    const [first, second] = await stored('g1');
    if (first === undefined || second === undefined) throw new Error('no events');
    const moved = openMemoryEventStore();
    await moved.append('guest-g1', -1, [{ ...first, data: second.data }]);
    events.current = moved;
    expect(String(await faultOf(namesIn(node(), 'g1')))).to.include('does not open');
  });

  it('are opened by an older master secret, and not without it', async () => {
    await transact(node().guests, 'g1', context, came('ada', 'Ada'));
    const rotated = new Secrets([Buffer.alloc(32, 8), Buffer.alloc(32, 7)]);
    expect(await namesIn(node(store, rotated), 'g1')).to.deep.equal(['Ada']);
    expect(await faultOf(namesIn(node(store, new Secrets([Buffer.alloc(32, 8)])), 'g1'))).to.be.instanceOf(Error);
  });

  it('are unavailable to a process without the secret by which they were wrapped again, and nobody is erased', async () => {
    const running = node();
    await running.keys.keyStoreName(false);
    await transact(running.guests, 'g1', context, came('ada', 'Ada'));
    const rotated = new Secrets([Buffer.alloc(32, 8), Buffer.alloc(32, 7)]);
    const parts = rewrapping(rotated, false);
    const { signal } = new AbortController();
    expect(await rewrapKeys(parts, signal)).to.deep.equal({ keys: 2, rewrapped: 2, unopened: 0 });
    expect(await rewrapKeys(parts, signal)).to.deep.equal({ keys: 2, rewrapped: 0, unopened: 0 });
    const stale = node();
    for (const fault of [
      await faultOf(namesIn(stale, 'g1')),
      await faultOf(transact(stale.guests, 'g2', context, came('ada', 'Ada'))),
    ])
      expect(fault).to.be.instanceOf(StoreUnavailable).with.property('message').that.includes('Restart it');
    expect(await namesIn(node(store, new Secrets([Buffer.alloc(32, 8)])), 'g1')).to.deep.equal(['Ada']);
    expect(await namesIn(running, 'g1'), 'a key that it knows').to.deep.equal(['Ada']);
  });

  it('break one stream, and no other, when one is damaged', async () => {
    const one = node();
    await one.keys.keyStoreName(false);
    await transact(one.guests, 'g1', context, came('ada', 'Ada'));
    await transact(one.guests, 'g2', context, came('bob', 'Bob'));
    const { id = '' } = (await stored('g1')).flatMap((event) => ({ id: personalKeyIn(event) }))[0] ?? {};
    const [key] = await store.get([id]);
    await store.rewrap([{ id, from: key?.wrapped ?? '', to: `${key?.wrapped?.slice(0, -4)}AAAA` }]);
    expect(String(await faultOf(namesIn(node(), 'g1')))).to.include('damaged');
    expect(await namesIn(node(), 'g2')).to.deep.equal(['Bob']);
  });

  it('make reads and appends fail as unavailable while they cannot be read', async () => {
    await transact(node().guests, 'g1', context, came('ada', 'Ada'));
    const away = async (): Promise<never> => {
      throw new StoreUnavailable('the key store is unavailable');
    };
    const unreachable = node({ ...store, get: away, destroyed: away, putIfAbsent: away });
    expect(await faultOf(namesIn(unreachable, 'g1'))).to.be.instanceOf(StoreUnavailable);
    expect(await faultOf(transact(unreachable.guests, 'g9', context, came('ada', 'Ada')))).to.be.instanceOf(
      StoreUnavailable,
    );
    expect(await stored('g9')).to.deep.equal([]);
  });

  it('are named by the log, which refuses those of another one, or none', async () => {
    const key = await openStoreStamp(events.current, world, secrets, 'test');
    const keysIn = (of: KeyStore) => new PersonalKeys({ store: of, secrets, storeKey: key, world });
    await checkKeyStore(events.current, world, keysIn(store));
    await checkKeyStore(events.current, world, keysIn(store));
    expect((await eventsIn(events.current, 'store-0')).map(({ type }) => type)).to.deep.equal([
      'StoreCreated',
      'KeyStoreNamed',
    ]);
    expect(await recordBeforeBreak(events.current)).to.include({ namesErasures: true, bindsKeys: true });
    const gone = await faultOf(checkKeyStore(events.current, world, keysIn(openMemoryKeyStore())));
    expect(String(gone)).to.include('not that of this event log');
    expect(String(await faultOf(checkKeyStore(events.current, world, undefined)))).to.include('key store');
  });

  it('that were destroyed before erasures named them are named once, by the first start', async () => {
    const key = await openStoreStamp(events.current, world, secrets, 'test');
    const keys = new PersonalKeys({ store, secrets, storeKey: key, world });
    const named = { keyStore: await keys.keyStoreName(false), namesErasures: false, bindsKeys: false };
    const stamps = new Streams(
      storeDecider,
      { events: events.current, world, report: () => undefined },
      async () => undefined,
    );
    await transact(stamps, '0', context, () => accept<StoreEvent>({ type: 'KeyStoreNamed', data: named }));
    for (const id of ['old.1', 'forged.1', 'new.1']) await store.putIfAbsent(id, 'key');
    await store.destroy(['old.1'], 7);
    const { signal } = new AbortController();
    for (let start = 0; start < 2; start += 1) await checkKeyStore(events.current, world, keys);
    expect(await recordBeforeBreak(events.current)).to.include({ namesErasures: true, bindsKeys: false });
    expect(await tombstonesOf(events.current, store, signal)).to.deep.equal({
      recorded: 0,
      earlier: 1,
      unrecorded: [],
    });
    await recordDestruction(actsIn(events.current, world), world, context, ['new.1'], 'erasure');
    await store.destroy(['new.1', 'forged.1'], 7);
    await checkKeyStore(events.current, world, keys);
    expect(await tombstonesOf(events.current, store, signal)).to.deep.equal({
      recorded: 1,
      earlier: 1,
      unrecorded: ['forged.1'],
    });
    await recordBoundKeys(events.current, world);
    expect(await recordBeforeBreak(events.current)).to.include({ namesErasures: true, bindsKeys: true });
  });
});
