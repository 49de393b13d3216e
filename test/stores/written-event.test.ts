// Events whose texts need no check: they are as JSON.stringify writes them, and nothing else passes for one.
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { WrittenEvent } from '../../src/stores/written-event.ts';

describe('an event that was written here', () => {
  const awkward = {
    z: 1,
    10: 3,
    9: 4,
    4294967295: 'beyond an index',
    '': 5,
    ['__proto__']: { x: 1 },
    toJSON: 1,
    numbers: [-0, 1e21, 1e-7, 5e-324, 0.1, Number.NaN, Number.POSITIVE_INFINITY],
    texts: ['é 😀 \u2028\u0085', 'half of a \ud83d', '\u0000"\\/'],
    nothing: [undefined, null],
    left: undefined,
    at: new Date(0),
    written: { toJSON: () => ({ b: [1, { a: 2 }], 1: 0 }) },
  };

  it('has the texts that parsing them and writing them again gives', () => {
    const event = new WrittenEvent(randomUUID(), 'Happened', awkward, { data: [awkward] });
    for (const text of [event.data, event.metadata]) expect(JSON.stringify(JSON.parse(text))).to.equal(text);
    expect(WrittenEvent.is(event)).to.equal(true);
  });

  it('is not a copy of one, because the text of a copy may differ', () => {
    const event = new WrittenEvent(randomUUID(), 'Happened', {}, {});
    const { id, type, data, metadata } = event;
    const copies = [{ id, type, data, metadata }, { ...event }, structuredClone(event), Object.create(event)];
    for (const copy of copies) expect(WrittenEvent.is(copy)).to.equal(false);
  });
});
