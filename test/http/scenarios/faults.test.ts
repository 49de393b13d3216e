// Every fault by rule of the sandbox, in every phase, and their crossings, over HTTP: answers, events, notifications,
// ledger and books.
import { FAULT_NAMES, FAULTS } from '../../../src/processors/sandbox/faults.ts';
import { crossings } from './crossings.ts';
import { faultScenarios } from './faults-authorization.ts';
import { captureAndRefundRules } from './rules-capture-refund.ts';
import { disputeRules } from './rules-disputes.ts';
import { otherRules } from './rules-other.ts';
import { play } from './scenario.ts';
import { openStage, type Stage } from './stage.ts';

const APPROVED = '4242424242424242';
const DISPUTED = '4000000000000259';

describe('every fault of the sandbox, over HTTP', () => {
  let stage: Stage;
  before(async () => {
    stage = await openStage();
  });
  after(() => stage.close());

  for (const fault of FAULT_NAMES) {
    for (const phase of FAULTS[fault].phases) {
      it(`${fault} ${phase}`, async () => {
        const scenario = faultScenarios[fault][phase];
        if (scenario === undefined) throw new Error(`the fault ${fault} has no scenario in the phase ${phase}`);
        await play(stage, scenario({ phase, fault }), APPROVED);
      });
    }
  }

  for (const [name, scenario] of Object.entries({ ...captureAndRefundRules, ...otherRules }))
    it(name, () => play(stage, scenario, APPROVED));
});

describe('cards and faults that meet something else, over HTTP', () => {
  let stage: Stage;
  before(async () => {
    stage = await openStage();
  });
  after(() => stage.close());

  for (const [name, number, scenario] of crossings) it(name, () => play(stage, scenario, number));
  for (const [name, scenario] of Object.entries(disputeRules)) it(name, () => play(stage, scenario, DISPUTED));
});
