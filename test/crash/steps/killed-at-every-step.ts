// Tests of kill -9 between any two steps, for any stores.
import { expect } from 'chai';
import type { StoresAt } from './stores-at.ts';
import { expectGoodBooks, type RetriesAtAStep, walkAllSteps } from './walk.ts';

interface Prepared {
  readonly at: StoresAt;
  /** Ends its processes, and removes everything. */
  readonly close: () => Promise<void>;
  readonly retriesAtAStep: RetriesAtAStep;
}

export function killedAtEveryStep(name: string, prepare: () => Promise<Prepared>): void {
  describe(`a process that is killed between any two steps, on ${name}`, function () {
    this.timeout(1_200_000);
    let prepared: Prepared;
    let aheadMs = 0;
    before(async () => {
      prepared = await prepare();
    });
    after(() => prepared.close());

    it('leaves authorizations and refunds that the next process finishes once', async () => {
      const walked = await walkAllSteps(prepared.at, prepared.retriesAtAStep);
      aheadMs = walked.aheadMs;
      for (const [scenario, steps] of walked.steps) {
        const places = ['append', 'write', ...scenario.operations].flatMap((what) => [
          `before ${what}`,
          `after ${what}`,
        ]);
        expect(places.filter((place) => !steps.some((step) => step.startsWith(place)))).to.deep.equal([]);
        console.log(`      ${scenario.name}: ${steps.length} steps`);
      }
    });

    it('leaves a ledger that equals the payments, whole chains, and no claim without a payment', async () => {
      console.log(`      ${await expectGoodBooks(prepared.at, aheadMs)}`);
    });
  });
}
