// The border between domain events and stored ones: an event is sealed in full, and read as it was sealed, or refused.
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { z } from 'zod';
import { category, event, upcast } from '../../src/domain/category.ts';
import { operatorContext } from '../../src/journal/contexts.ts';
import {
  beforeFirst,
  headOf,
  metadataOf,
  seal,
  UnknownEvent,
  unseal,
  unsealEvent,
} from '../../src/journal/envelope.ts';
import { BrokenStream } from '../../src/stores/broken-stream.ts';
import type { StoredEvent } from '../../src/stores/event-store.ts';
import { calmWorld } from '../support/calm-world.ts';

const older = upcast(z.object({ n: z.number() }), (data) => data);
const counted = category(
  'counted',
  z.discriminatedUnion('type', [
    event('Counted', z.strictObject({ n: z.number() })),
    event('Closed', z.strictObject({})),
  ]),
  { Counted: [older, older] },
);
const world = { ...calmWorld, now: () => 77 };

const METADATA =
  '{"accountId":"a","actor":{"kind":"operator","id":"cli"},"recordedAt":5,"$correlationId":"r","$causationId":"r","operationId":"o","schemaVersion":3,"previousHash":""}';
/** As a store returns it; an id that nobody has sealed. */
const stored = (parts: Partial<StoredEvent> = {}): StoredEvent => ({
  stream: 'counted-1',
  revision: 0,
  position: 0n,
  id: randomUUID(),
  type: 'Counted',
  data: '{"n":5}',
  metadata: METADATA,
  ...parts,
});

describe('a sealed event', () => {
  it('holds the version of its type, and is read as it was sealed', () => {
    const events = [
      { type: 'Counted' as const, data: { n: 1 } },
      { type: 'Closed' as const, data: {} },
    ];
    const sealed = seal(counted, events, operatorContext(world, 'acc'), beforeFirst, world);
    expect(sealed.map((one) => metadataOf(stored(one.stored)).schemaVersion)).to.deep.equal([3, 1]);
    for (const [revision, one] of sealed.entries()) {
      const read = unseal(counted, stored({ ...one.stored, revision }));
      expect(read.event).to.deep.equal(one.event);
      expect(read.recorded).to.deep.equal({ ...one.recorded, revision, at: 77 });
    }
    expect(headOf(sealed, beforeFirst)).to.deep.equal({ revision: 1, hash: sealed[1]?.hash, recordedAt: 77 });
    expect(headOf([], beforeFirst)).to.equal(beforeFirst);
  });

  it('has the time at which it is sealed, whenever it was asked for, and never one before its predecessor', () => {
    const asked = operatorContext({ ...world, now: () => 5 }, 'acc');
    const atOf = (recordedAt: number): readonly number[] =>
      seal(counted, [{ type: 'Closed', data: {} }], asked, { ...beforeFirst, recordedAt }, world).map(
        ({ recorded }) => recorded.at,
      );
    expect(atOf(beforeFirst.recordedAt)).to.deep.equal([77]);
    expect(atOf(78)).to.deep.equal([78]);
  });

  it('has an id of its own, even if the same is sealed again', () => {
    const context = operatorContext(world, 'acc');
    const again = () => seal(counted, [{ type: 'Closed', data: {} }], context, beforeFirst, world)[0]?.recorded.id;
    expect(again()).not.to.equal(again());
  });
});

describe('a stored event', () => {
  it('is read also where another program wrote its metadata in another order', () => {
    const { recorded, event: read } = unsealEvent(
      counted,
      stored({ metadata: '{"schemaVersion": 3, "previousHash": "", "recordedAt": 5}', data: '{"n":9}' }),
    );
    expect([recorded.at, read.data]).to.deep.equal([5, { n: 9 }]);
  });

  for (const metadata of ['null', '5', '"text"', '{}', '{"schemaVersion":"3"}', '{'])
    it(`breaks its stream when its metadata is ${metadata}`, () => {
      expect(() => metadataOf(stored({ metadata }))).to.throw(BrokenStream, 'its metadata is no');
      expect(() => unsealEvent(counted, stored({ metadata }))).to.throw(BrokenStream, 'its metadata is no');
    });

  for (const data of ['null', '5', '"text"']) {
    it(`breaks its stream when its data is ${data}`, () =>
      expect(() => unsealEvent(counted, stored({ data }))).to.throw(BrokenStream, 'its data is not an object'));
  }

  it('waits for a newer version of the service when its type is unknown', () =>
    expect(() => unsealEvent(counted, stored({ type: 'Recounted' }))).to.throw(UnknownEvent, 'unknown type Recounted'));
});
