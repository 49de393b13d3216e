// The counts of the limits against card testing: what a payment reserves while its calls are under way.
import { expect } from 'chai';
import { CARD_TESTING_POINTS, CardTestingCountsInMemory } from '../../../src/commands/limits/card-testing-counts.ts';

describe('the counts against card testing', () => {
  it('keep the reservation of a payment until the last of its calls gives it back', async () => {
    const counts = new CardTestingCountsInMemory();
    const session = { sessionId: 'cs_1', fingerprint: 'f'.repeat(64) };
    for (let call = 0; call < 2; call += 1) expect(await counts.reserve('pay_0', session)).to.equal(undefined);
    counts.giveBack('pay_0');
    for (let n = 1; n < CARD_TESTING_POINTS['declines-per-session']; n += 1)
      expect(await counts.reserve(`pay_${n}`, session)).to.equal(undefined);
    expect(await counts.look(session)).to.include({ limit: 'declines-per-session' });
    counts.giveBack('pay_0');
    expect(await counts.look(session)).to.equal(undefined);
  });
});
