// The stamp of a store: it opens for its own mode and secret, in any process, even if its stream is broken later on.
import { expect } from 'chai';
import { checkEventSchemaOf, OtherEventSchema } from '../../src/journal/event-schema.ts';
import { knownKeys, publicKeysOf } from '../../src/journal/signing-keys.ts';
import { openStoreStamp, recordBeforeBreak } from '../../src/journal/store-stamp.ts';
import { Secrets } from '../../src/secrets.ts';
import { BrokenStream } from '../../src/stores/broken-stream.ts';
import type { EventStore, NewEvent } from '../../src/stores/event-store.ts';
import { openMemoryEventStore } from '../../src/stores/memory/event-store.ts';
import { eventOf, eventsIn, faultOf } from '../contract/store-under-test.ts';
import { calmWorld } from '../support/calm-world.ts';

const [OLD, NEW] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
const stampIn = (events: EventStore, masters: readonly Buffer[] = [OLD], mode: 'test' | 'live' = 'test') =>
  openStoreStamp(events, calmWorld, new Secrets(masters), mode);
const nameBy = async (events: EventStore, ...masters: readonly Buffer[]): Promise<string> =>
  (await stampIn(events, masters)).fingerprint('derived-id', 'x');
const typesIn = async (events: EventStore): Promise<readonly string[]> =>
  (await eventsIn(events, 'store-0')).map(({ type }) => type);

/** The stamp with altered events. */
async function altered(
  events: EventStore,
  alter: (all: readonly NewEvent[]) => readonly NewEvent[],
): Promise<EventStore> {
  const copy = openMemoryEventStore();
  const texts = (await eventsIn(events, 'store-0')).map(({ id, type, data, metadata }) => ({
    id,
    type,
    data,
    metadata,
  }));
  await copy.append('store-0', -1, alter(texts));
  return copy;
}

describe('the stamp of a store', () => {
  let events: EventStore;
  beforeEach(() => {
    events = openMemoryEventStore();
  });

  it('is made once, by whichever process is first, and has one key', async () => {
    const [one, other] = await Promise.all([nameBy(events, OLD), nameBy(events, OLD)]);
    expect([other, await nameBy(events, OLD)]).to.deep.equal([one, one]);
    expect(await typesIn(events)).to.deep.equal(['StoreCreated']);
    const [{ metadata } = { metadata: '{}' }] = await eventsIn(events, 'store-0');
    expect(JSON.parse(metadata).actor).to.deep.equal({ kind: 'operator', id: 'start' });
  });

  it('opens for the mode of its creation, and no other', async () => {
    await stampIn(events, [OLD], 'live');
    expect(await faultOf(stampIn(events))).to.have.property('code', 'WrongMode');
    expect(await faultOf(stampIn(events, [OLD], 'live'))).to.equal(undefined);
  });

  it('opens for a secret that wraps its key, and no other', async () => {
    await stampIn(events);
    expect(await faultOf(stampIn(events, [NEW]))).to.have.property('code', 'WrongSecret');
    expect(await typesIn(events)).to.deep.equal(['StoreCreated']);
  });

  it('is wrapped again by the first of several secrets, once, which then opens it alone with the same key', async () => {
    const name = await nameBy(events, OLD);
    expect(await Promise.all([nameBy(events, NEW, OLD), nameBy(events, NEW, OLD)])).to.deep.equal([name, name]);
    expect(await nameBy(events, NEW, OLD)).to.equal(name);
    expect(await typesIn(events)).to.deep.equal(['StoreCreated', 'StoreKeyRewrapped']);
    expect(await nameBy(events, NEW)).to.equal(name);
    expect(await faultOf(stampIn(events, [OLD]))).to.have.property('code', 'WrongSecret');
  });

  it('keeps the public keys of all earlier secrets, which the newest alone vouches for', async () => {
    const [one, two, three] = [OLD, NEW, Buffer.alloc(32, 3)];
    for (const list of [[one], [two, one], [three, two], [three]]) await stampIn(events, list);
    const keysOf = (...masters: readonly Buffer[]) => publicKeysOf(new Secrets(masters));
    const record = await recordBeforeBreak(events);
    expect(knownKeys(keysOf(three), record)).to.deep.equal(keysOf(three, two, one));
    expect(knownKeys(keysOf(two), record)).to.deep.equal(keysOf(two));
    if (record.status === 'absent' || record.olderKeys === undefined) return expect.fail();
    const more = { ...record.olderKeys, publicKeys: [...record.olderKeys.publicKeys, ...keysOf(Buffer.alloc(32, 4))] };
    return expect(knownKeys(keysOf(three), { ...record, olderKeys: more })).to.deep.equal(keysOf(three));
  });

  it('opens as it was before a break, which is told, and is not written to', async () => {
    const name = await nameBy(events, OLD);
    await nameBy(events, NEW, OLD);
    const broken = await altered(events, ([first, second]) =>
      first === undefined || second === undefined
        ? []
        : [first, { ...second, metadata: second.metadata.replace('previousHash":"', '$&0') }],
    );
    const told: BrokenStream[] = [];
    const key = await openStoreStamp(broken, calmWorld, new Secrets([NEW, OLD]), 'test', (fault) => told.push(fault));
    expect(key.fingerprint('derived-id', 'x')).to.equal(name);
    expect(told.map(({ revision }) => revision)).to.deep.equal([1]);
    expect(await eventsIn(broken, 'store-0')).to.have.length(2);
  });

  it('does not open without its first event', async () => {
    await nameBy(events, OLD);
    await nameBy(events, NEW, OLD);
    const broken = await altered(events, (all) => all.slice(1));
    expect(await faultOf(stampIn(broken))).to.be.instanceOf(BrokenStream);
  });
});

describe('the schema of a store’s events', () => {
  const storeOf = async (type: string, data: string): Promise<EventStore> => {
    const events = openMemoryEventStore();
    await events.append('store-0', -1, [{ ...eventOf({}, type), data }]);
    return events;
  };
  const created = (data: object): Promise<EventStore> => storeOf('StoreCreated', JSON.stringify(data));

  for (const [data, schema] of [
    [{}, 'an earlier schema (1'],
    [{ eventSchema: '2' }, 'an earlier schema (1'],
    [{ eventSchema: 3 }, 'a later schema (3'],
  ] as const)
    it(`is another one in a store that begins with ${JSON.stringify(data)}`, async () => {
      expect(await faultOf(checkEventSchemaOf(await created(data))))
        .to.be.instanceOf(OtherEventSchema)
        .with.property('message')
        .that.contains(schema);
    });

  it('passes in an empty store, and in one of this schema', async () => {
    const events = openMemoryEventStore();
    expect(await faultOf(checkEventSchemaOf(events))).to.equal(undefined);
    await stampIn(events);
    expect(await faultOf(checkEventSchemaOf(events))).to.equal(undefined);
  });

  it('passes where the first event cannot be read, so that an audit opens the log', async () => {
    for (const data of ['{', 'null', '5'])
      expect(await faultOf(checkEventSchemaOf(await storeOf('StoreCreated', data))), data).to.equal(undefined);
    expect(await faultOf(checkEventSchemaOf(await storeOf('Altered', '{}')))).to.equal(undefined);
  });
});
