// Every row of the sandbox's cards, end to end over HTTP: answers, events, notifications, ledger and books.
import { expect } from 'chai';
import { CARDS } from '../../../src/processors/sandbox/cards.ts';
import { authenticationCards } from './cards-authentication.ts';
import { authorizationCards } from './cards-authorization.ts';
import { captureAndRefundCards } from './cards-capture-refund.ts';
import { disputeCards } from './cards-dispute.ts';
import { notificationCards } from './cards-notification.ts';
import { unknownCards } from './cards-unknown.ts';
import { play, type Scenario } from './scenario.ts';
import { openStage, type Stage } from './stage.ts';

const SCENARIOS: ReadonlyMap<string, Scenario | readonly Scenario[]> = new Map(
  Object.entries({
    ...authorizationCards,
    ...authenticationCards,
    ...unknownCards,
    ...notificationCards,
    ...captureAndRefundCards,
    ...disputeCards,
  }),
);

describe('every card of the sandbox, over HTTP', () => {
  let stage: Stage;
  before(async () => {
    stage = await openStage();
  });
  after(() => stage.close());

  for (const { id, numbers, title } of CARDS) {
    for (const [place, number] of numbers.entries()) {
      it(`${number} ${title}`, async () => {
        const all = [SCENARIOS.get(id) ?? []].flat();
        const scenarios = numbers.length === 1 ? all : all.slice(place, place + 1);
        if (scenarios.length === 0) throw new Error(`the row ${id} of the cards has no scenario`);
        for (const scenario of scenarios) await play(stage, scenario, number);
      });
    }
  }

  it('has a row for each scenario', () => {
    // the other methods of payment have no number: ../payment-methods.test.ts
    const cards = CARDS.filter(({ method }) => method === undefined);
    expect([...SCENARIOS.keys()]).to.have.members(cards.map(({ id }) => id));
  });
});
