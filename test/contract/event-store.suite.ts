// The duties of every event store, written against the port; each adapter's test opens its own and runs this unchanged.
import { expect } from 'chai';
import type { Append, Appended, EventStore, NewEvent, StoredEvent } from '../../src/stores/event-store.ts';
import { StoreUnavailable } from '../../src/stores/store-unavailable.ts';
import { followContract } from './event-store-follow.suite.ts';
import { appended, eventOf, eventsIn, eventsOf, faultOf, type StoreUnderTest, streamOf } from './store-under-test.ts';

/** `appendsToSeveral`: whether it appends to several streams at once. */
export function eventStoreContract(name: string, open: () => Promise<StoreUnderTest>, appendsToSeveral = true): void {
  describe(`${name}, as every event store`, () => {
    let opened: StoreUnderTest;
    let store: EventStore;
    before(async () => {
      opened = await open();
      store = opened.store;
    });
    after(() => opened.dispose());

    appendContract(() => store);
    if (appendsToSeveral) appendAllContract(() => store);
    else it('has no append to several streams', () => expect(store.appendAll).to.equal(undefined));
    readContract(() => store);
    concurrencyContract(() => opened);
    newestContract(() => store);
    followContract(() => opened);
    closingContract(open);
  });
}

function appendContract(store: () => EventStore): void {
  describe('append', () => {
    it('stores the events: stream, revisions from the expected one, growing positions, the text as it was', async () => {
      const [stream, events] = [streamOf(), eventsOf(3)];
      const stored = await appended(store(), stream, -1, events);
      expect(
        stored.map(({ stream, revision, id, type, data, metadata }) => ({
          stream,
          revision,
          id,
          type,
          data,
          metadata,
        })),
      ).to.deep.equal(events.map((event, revision) => ({ stream, revision, ...event })));
      expect(
        stored.every(({ position }, index) => index === 0 || position > (stored[index - 1]?.position ?? position)),
      ).to.equal(true);
    });

    it('conflicts on a stream that does not exist, before the end of one that does, and beyond it', async () => {
      const stream = streamOf();
      expect(await store().append(stream, 0, eventsOf(1))).to.equal('conflict');
      await appended(store(), stream, -1, eventsOf(2));
      expect(await store().append(stream, -1, eventsOf(1))).to.equal('conflict');
      expect(await store().append(stream, 0, eventsOf(1))).to.equal('conflict');
      expect(await store().append(stream, 2, eventsOf(1))).to.equal('conflict');
      expect(await eventsIn(store(), stream)).to.have.length(2);
    });

    it('adds nothing when the same ids come to the same place again, even with other data', async () => {
      const stream = streamOf();
      const [first, second] = [eventsOf(2), eventsOf(2)];
      const stored = await appended(store(), stream, -1, first);
      await appended(store(), stream, 1, second);
      const again = first.map((event) => ({ ...event, data: '{"other":true}' }));
      expect(await store().append(stream, -1, again)).to.equal('written');
      expect((await eventsIn(store(), stream)).slice(0, 2)).to.deep.equal(stored);
      expect(await eventsIn(store(), stream)).to.have.length(4);
    });

    it('conflicts when only some of the ids are there, and when the same ids come to another place', async () => {
      const stream = streamOf();
      const events = eventsOf(2);
      await appended(store(), stream, -1, events);
      expect(await store().append(stream, -1, [...events, eventOf()])).to.equal('conflict');
      expect(await store().append(stream, -1, [...events].reverse())).to.equal('conflict');
      expect(await store().append(stream, 0, events)).to.equal('conflict');
      expect(await eventsIn(store(), stream)).to.have.length(2);
    });

    it('refuses appends that no caller should send with a TypeError, and writes nothing', async () => {
      const stream = streamOf();
      const wrong: readonly (readonly [string, number, readonly NewEvent[]])[] = [
        [stream, -1, []],
        [stream, -1, [{ ...eventOf(), id: 'not-a-uuid' }]],
        [stream, -1, [eventOf(), { ...eventOf(), id: '' }]],
        [stream, -1, [{ ...eventOf(), type: '' }]],
        [stream, -1, [{ ...eventOf(), data: '"\ud800"' }]],
        [stream, -2, [eventOf()]],
        [stream, 0.5, [eventOf()]],
        ['nohyphen', -1, [eventOf()]],
        [stream, -1, [eventOf('x'.repeat(1024 * 1024))]],
        [stream, -1, eventsOf(10_001)],
      ];
      for (const [to, after, events] of wrong)
        expect(await faultOf(store().append(to, after, events))).to.be.instanceOf(TypeError);
      expect(await eventsIn(store(), stream)).to.deep.equal([]);
    });

    it('takes several events whole or not at all', async () => {
      const stream = streamOf();
      const tried = Array.from({ length: 8 }, () => eventsOf(5));
      const results = await Promise.all(tried.map((events) => store().append(stream, -1, events)));
      expect(results.filter((result) => result === 'written')).to.have.length(1);
      const written = tried[results.indexOf('written')]?.map(({ id }) => id);
      expect((await eventsIn(store(), stream)).map(({ id }) => id)).to.deep.equal(written);
    });
  });
}

function newestContract(store: () => EventStore): void {
  describe('newest', () => {
    it('answers the log backwards, page by page', async () => {
      const { newest } = store();
      if (newest === undefined) throw new Error('the store cannot be read backwards');
      const pageBefore = async (position: bigint | undefined): Promise<readonly StoredEvent[]> =>
        newest.call(store(), position, 2);
      const [one, other] = [streamOf(), streamOf()];
      const stored = [
        ...(await appended(store(), one, -1, eventsOf(3))),
        ...(await appended(store(), other, -1, eventsOf(2))),
      ];
      const pages = [await pageBefore(undefined)];
      for (let at = 1; at < 3; at += 1) pages.push(await pageBefore(pages.at(-1)?.at(-1)?.position));
      expect(pages.map((page) => page.length)).to.deep.equal([2, 2, 2]);
      expect(pages.flat().slice(0, 5)).to.deep.equal(stored.toReversed());
    });
  });
}

function appendAllContract(store: () => EventStore): void {
  describe('append to several streams', () => {
    const of = (stream: string, after: number, events: readonly NewEvent[]): Append => ({ stream, after, events });
    const all = async (appends: readonly Append[]): Promise<Appended | undefined> => store().appendAll?.(appends);

    it('writes all events in the order of the appends, each stream after its own revision', async () => {
      const [one, other] = [streamOf(), streamOf()];
      await appended(store(), one, -1, eventsOf(2));
      const [first, second] = [eventsOf(2), eventsOf(1)];
      expect(await all([of(one, 1, first), of(other, -1, second)])).to.equal('written');
      const [ofOne, ofOther] = [await eventsIn(store(), one), await eventsIn(store(), other)];
      expect(ofOne.map(({ id }) => id).slice(2)).to.deep.equal(first.map(({ id }) => id));
      expect(ofOther.map(({ id, revision }) => [id, revision])).to.deep.equal([[second[0]?.id, 0]]);
      const positions = [...ofOne.slice(2), ...ofOther].map(({ position }) => position);
      expect(positions).to.deep.equal([0n, 1n, 2n].map((n) => (positions[0] ?? 0n) + n));
      await appended(store(), other, 0, eventsOf(1)); // it is known what was written
    });

    it('writes nothing to any when one of them is not at its revision', async () => {
      const [one, other] = [streamOf(), streamOf()];
      await appended(store(), other, -1, eventsOf(1));
      expect(await all([of(one, -1, eventsOf(1)), of(other, -1, eventsOf(1))])).to.equal('conflict');
      expect(await all([of(other, 0, eventsOf(1)), of(one, 0, eventsOf(1))])).to.equal('conflict');
      expect(await eventsIn(store(), one)).to.deep.equal([]);
      expect(await eventsIn(store(), other)).to.have.length(1);
    });

    it('adds nothing when the same ids come again, and conflicts when those of one stream are there alone', async () => {
      const [one, other] = [streamOf(), streamOf()];
      const both = [of(one, -1, eventsOf(1)), of(other, -1, eventsOf(2))];
      expect(await all(both)).to.equal('written');
      expect(await all(both)).to.equal('written');
      expect(await all([...both, of(streamOf(), -1, eventsOf(1))])).to.equal('conflict');
      expect(await eventsIn(store(), one)).to.have.length(1);
      expect(await eventsIn(store(), other)).to.have.length(2);
    });

    it('is told to followers whole and in order', async () => {
      const end = new AbortController();
      const [one, other] = [streamOf(), streamOf()];
      const appends = [of(one, -1, eventsOf(1)), of(other, -1, eventsOf(2))];
      const ids = appends.flatMap(({ events }) => events.map(({ id }) => id));
      const seen: string[] = [];
      const head = await store().head();
      expect(await all(appends)).to.equal('written');
      for await (const batch of store().follow(head, [], end.signal)) {
        seen.push(...batch.events.map(({ id }) => id));
        if (seen.length >= ids.length) break;
      }
      end.abort();
      expect(seen).to.deep.equal(ids);
    });

    it('refuses one stream twice, and no stream, with a TypeError', async () => {
      const stream = streamOf();
      expect(await faultOf(all([]))).to.be.instanceOf(TypeError);
      expect(await faultOf(all([of(stream, -1, eventsOf(1)), of(stream, 0, eventsOf(1))]))).to.be.instanceOf(TypeError);
      expect(await eventsIn(store(), stream)).to.deep.equal([]);
    });
  });
}

function readContract(store: () => EventStore): void {
  describe('read', () => {
    it('has nothing for a stream that does not exist, or after its last revision', async () => {
      const stream = streamOf();
      expect(await eventsIn(store(), stream)).to.deep.equal([]);
      await appended(store(), stream, -1, eventsOf(2));
      expect(await eventsIn(store(), stream, 1)).to.deep.equal([]);
      expect(await eventsIn(store(), stream, 99)).to.deep.equal([]);
      expect((await eventsIn(store(), stream, 0)).map(({ revision }) => revision)).to.deep.equal([1]);
    });

    it('keeps JSON text byte for byte: unicode, key order, numbers, escapes', async () => {
      const texts = [
        '{"9":4,"10":3,"z":1,"a":2,"":5,"__proto__":{"x":1},"toJSON":1}',
        '{"n":[1,100,0,0.1,1e+21,1e-7,-5e-324,1.7976931348623157e+308,9007199254740992]}',
        '{"s":"é é 😀 👩‍👩‍👧 \u2028\u2029 ﷽ \u0085\u007f \\u0000 \\ud800 \\n\\" / \\\\"}',
        `{"latin":"${String.fromCharCode(...Array.from({ length: 128 }, (_, n) => n + 128))}"}`,
        '{}',
      ];
      expect(texts.map((text) => JSON.stringify(JSON.parse(text)))).to.deep.equal(texts);
      const stream = streamOf();
      const events = texts.map((text) => ({ ...eventOf(), type: 'Größe 😀', data: text, metadata: text }));
      await appended(store(), stream, -1, events);
      const found = await eventsIn(store(), stream);
      expect(found.map(({ data }) => data)).to.deep.equal(texts);
      expect(found.map(({ metadata }) => metadata)).to.deep.equal(texts);
      expect(found.map(({ type }) => type)).to.deep.equal(texts.map(() => 'Größe 😀'));
    });

    it('keeps text that JSON.stringify would write otherwise as it is, or refuses it; it is never altered', async () => {
      const texts = [
        '{"z":1,"10":3,"9":4}',
        '{"n":[1.0,1e2,1E400,-0,123456789012345678901234567890]}',
        '"\\/ \\u00e9"',
        ' { "w" :\t[ ] } ',
        '{',
        '',
      ];
      for (const text of texts) {
        for (const event of [
          { ...eventOf(), data: text },
          { ...eventOf(), metadata: text },
        ]) {
          const stream = streamOf();
          const refused = await faultOf(store().append(stream, -1, [event]));
          if (refused !== undefined) expect(refused).to.be.instanceOf(TypeError);
          const found = (await eventsIn(store(), stream)).map(({ data, metadata }) => ({ data, metadata }));
          expect(found).to.deep.equal(refused === undefined ? [{ data: event.data, metadata: event.metadata }] : []);
        }
      }
    });

    it('reads a stream of 10,000 events in order, some of them or all, even if the reader stops half-way', async () => {
      const stream = streamOf();
      for (let after = -1; after < 9_999; after += 500) await appended(store(), stream, after, eventsOf(500));
      const found = await eventsIn(store(), stream);
      expect(found.map(({ revision }) => revision)).to.deep.equal(Array.from({ length: 10_000 }, (_, n) => n));
      for (const most of [0, 1, 700, 2_500, 20_000]) {
        const some = await eventsIn(store(), stream, 3_000, most);
        expect(some.map(({ revision }) => revision)).to.deep.equal(
          Array.from({ length: Math.min(most, 6_999) }, (_, n) => 3_001 + n),
        );
      }
      let seen = 0;
      for await (const event of store().read(stream, 2_000)) {
        expect(event.revision).to.equal(2_001 + seen);
        seen += 1;
        if (seen === 1_500) break;
      }
      expect(await store().append(stream, 9_999, eventsOf(1))).to.not.equal('conflict');
    });

    it('keeps events of 256 KiB', async () => {
      const stream = streamOf();
      const events = Array.from({ length: 40 }, (_, n) => eventOf({ n, text: 'ä'.repeat(128 * 1024) }));
      for (const [n, event] of events.entries()) await appended(store(), stream, n - 1, [event]);
      const found = await eventsIn(store(), stream);
      expect(found.every(({ data }, n) => data === events[n]?.data)).to.equal(true);
      expect(found).to.have.length(40);
    });
  });
}

function concurrencyContract(opened: () => StoreUnderTest): void {
  it('gives 64 concurrent writers of one stream a place each: every event once, no gap, no lost acknowledgement', async () => {
    const { store, another } = opened();
    const second = (await another?.()) ?? store;
    const stream = streamOf();
    const writers = Array.from({ length: 64 }, async (_, n) => {
      const [event, through] = [eventOf({ n }), n % 2 === 0 ? store : second];
      for (let after = -1; ; ) {
        if ((await through.append(stream, after, [event])) === 'written') return { revision: after + 1, id: event.id };
        after = (await eventsIn(through, stream)).length - 1;
      }
    });
    const written = await Promise.all(writers);
    const found = await eventsIn(store, stream);
    expect(found.map(({ revision }) => revision)).to.deep.equal(Array.from({ length: 64 }, (_, n) => n));
    expect(found.map(({ revision, id }) => ({ revision, id }))).to.deep.equal(
      [...written].sort((a, b) => a.revision - b.revision),
    );
  });
}

function closingContract(open: () => Promise<StoreUnderTest>): void {
  it('ends followers and refuses appends once it is closed', async () => {
    const { store, dispose } = await open();
    const following = (async () => {
      for await (const _ of store.follow(-1n, [], new AbortController().signal)) void _;
    })();
    await appended(store, streamOf(), -1, eventsOf(1));
    await store.close();
    await following;
    expect(await faultOf(store.append(streamOf(), -1, eventsOf(1)))).to.be.instanceOf(StoreUnavailable);
    await dispose();
  });
}
