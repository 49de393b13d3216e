// Events of older versions become those of today step by step, oldest step first, from the version that they were
// written in.
import { expect } from 'chai';
import { z } from 'zod';
import { category, event, upcast } from '../../src/domain/category.ts';
import { hashOf, UnknownEvent, unsealEvent } from '../../src/journal/envelope.ts';

const older = z.object({ n: z.number() });
const step = (change: (n: number) => number) => upcast(older, ({ n }) => ({ n: change(n) }));
/** Adding before multiplying gives another number than multiplying before adding, and than either alone. */
const counted = category(
  'counted',
  z.discriminatedUnion('type', [event('Counted', z.strictObject({ n: z.number() }))]),
  {
    Counted: [step((n) => n + 1), step((n) => n * 10)],
  },
);
const written = (schemaVersion: number) => ({
  stream: 'counted-1',
  revision: 0,
  position: 0n,
  id: '9b2f4c1e-6a57-4c1c-8f0e-2f1d7f6f3a10',
  type: 'Counted',
  data: '{"n":5}',
  metadata: `{"recordedAt":1,"schemaVersion":${schemaVersion},"previousHash":""}`,
});

describe('an event of an older version', () => {
  for (const [schemaVersion, n] of [
    [1, 60],
    [2, 50],
    [3, 5],
  ] as const) {
    it(`takes the steps from version ${schemaVersion} on, in their order`, () =>
      expect(unsealEvent(counted, written(schemaVersion)).event.data).to.deep.equal({ n }));
  }

  it('stays as it was written, so that the chain over it holds', () => {
    const first = written(1);
    const before = hashOf(first);
    unsealEvent(counted, first);
    expect(hashOf(first)).to.equal(before);
  });

  it('must have been one of that version', () =>
    expect(() => unsealEvent(counted, { ...written(1), data: '{"m":5}' })).to.throw('expected number'));

  it('is refused when its version is newer than this service', () =>
    expect(() => unsealEvent(counted, written(4))).to.throw(UnknownEvent, 'unknown version 4'));
});
