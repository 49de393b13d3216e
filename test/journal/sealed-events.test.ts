// The memory of events that were sealed a moment ago: it answers for exactly their text, and is bounded.
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { hashOf } from '../../src/journal/envelope.ts';
import { sealedEvents } from '../../src/journal/sealed-events.ts';

describe('the memory of sealed events', () => {
  const event = () => ({
    id: randomUUID(),
    type: 'PaymentCreated',
    data: '{"amount":1}',
    metadata: '{"previousHash":""}',
  });

  it('answers for the text that was sealed', () => {
    const sealed = event();
    sealedEvents.add(sealed, 'the hash');
    expect(sealedEvents.find({ ...sealed })?.hash).to.equal('the hash');
  });

  for (const part of ['type', 'data', 'metadata'] as const)
    it(`knows nothing of an event whose ${part} was altered, so that its hash is that of its text`, () => {
      const sealed = event();
      sealedEvents.add(sealed, hashOf(sealed));
      const altered = { ...sealed, [part]: `${sealed[part]} ` };
      expect(sealedEvents.find(altered)).to.equal(undefined);
      expect(hashOf(altered)).not.to.equal(hashOf(sealed));
    });

  it('forgets the oldest of many events, and of large ones', () => {
    const [first, second] = [event(), event()];
    sealedEvents.add(first, 'first');
    for (let count = 0; count < 1_024; count += 1) sealedEvents.add(event(), '');
    expect(sealedEvents.find(first)).to.equal(undefined);
    sealedEvents.add(second, 'second');
    for (let count = 0; count < 3; count += 1) sealedEvents.add({ ...event(), data: 'a'.repeat(1024 * 1024) }, '');
    expect(sealedEvents.find(second)).to.equal(undefined);
  });
});
