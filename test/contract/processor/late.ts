// What is owed when requests arrive late, or two steps break off between them: what was called not found is not held.
import { expect } from 'chai';
import type { AuthorizationRequest, OperationRequest } from '../../../src/processors/processor.ts';
import type { Misbehaviour } from '../misbehaving-proxy.ts';
import { type Bench, HOUR_MS } from './bench.ts';
import type { Row } from './row.ts';

const A_DAY_AND_AN_HOUR = 25 * HOUR_MS;

/** Its call is over, and its request still on its way. */
async function late(bench: Bench, request: OperationRequest): Promise<void> {
  expect((await bench.performDuring('held', request)).kind, request.operation).to.equal('unknown');
  expect(await bench.effectsOf(request.reference), request.operation).to.deep.equal([]);
}

const fence = (bench: Bench, request: OperationRequest) => {
  const { fence: fenced } = bench.processor;
  if (fenced === undefined) throw new Error('it has no fence');
  return fenced(request, bench.call());
};

async function nothingHeld(bench: Bench, requested: AuthorizationRequest): Promise<void> {
  expect(await bench.effectsOf(requested.reference)).to.deep.equal([]);
  expect(await bench.lookUp(requested)).to.deep.equal({ kind: 'not_found' });
  if (bench.processor.fence !== undefined) expect(await fence(bench, requested)).to.deep.equal({ kind: 'not_found' });
}

const PREPARATION_FAULTS = [
  'refused',
  'reset_before',
  'reset_after',
  'page_403_before',
  'page_404_before',
  'page_408_after',
  'status_409',
  'status_500_after',
  'truncated',
] as const satisfies readonly Misbehaviour[];

export const LATE: readonly Row[] = [
  {
    name: 'finds what a request did that arrived after a look-up had not found it',
    async check(bench) {
      for (const request of await bench.all()) {
        await late(bench, request);
        expect(await bench.lookUp(request), request.operation).to.deep.equal({ kind: 'not_found' });
        await bench.faults.release();
        const effects = await bench.effectsOf(request.reference);
        const found = effects.length === 1 ? 'succeeded' : 'not_found';
        expect(await bench.lookUp(request), request.operation).to.have.property('kind', found);
      }
    },
  },
  {
    name: 'lets no request take effect that arrives after its fence',
    needs: 'fences',
    async check(bench) {
      for (const request of await bench.all()) {
        await late(bench, request);
        expect(await fence(bench, request), request.operation).to.deep.equal({ kind: 'not_found' });
        await bench.faults.release();
        expect(await bench.effectsOf(request.reference), request.operation).to.deep.equal([]);
        expect(await fence(bench, request), request.operation).to.deep.equal({ kind: 'not_found' });
        expect(await bench.lookUp(request), request.operation).to.deep.equal({ kind: 'not_found' });
      }
    },
  },
  {
    name: 'lets no request take effect that arrives 25 hours after its fence',
    needs: 'fences',
    async check(bench) {
      const request = await bench.authorization('payment1');
      await late(bench, request);
      expect(await fence(bench, request)).to.deep.equal({ kind: 'not_found' });
      await bench.tested.advance(A_DAY_AND_AN_HOUR);
      await bench.faults.release();
      expect(await bench.effectsOf('payment1')).to.deep.equal([]);
    },
  },
  {
    name: 'takes no fence for done whose requests were lost',
    needs: 'fences',
    async check(bench) {
      for (const how of ['reset_before', 'reset_after', 'page_404_before', 'page_403_before'] as const)
        for (const nth of [1, 2, 3]) {
          const request = await bench.authorization(`${how.replaceAll('_', '')}${nth}`);
          await late(bench, request);
          const first = await bench.during(how, () => fence(bench, request), nth);
          const last = first.kind === 'not_found' ? first : await fence(bench, request);
          expect(last, `${how} ${nth}`).to.deep.equal({ kind: 'not_found' });
          await bench.faults.release();
          expect(await bench.effectsOf(request.reference), `${how} ${nth}`).to.deep.equal([]);
        }
    },
  },
  {
    name: 'takes nothing back by the fence of what succeeded',
    needs: 'fences',
    async check(bench) {
      for (const request of await bench.all()) {
        await bench.performDuring('reset_after', request);
        const fenced = await fence(bench, request);
        expect(fenced, request.operation).to.have.property('kind', 'succeeded');
        expect(await bench.lookUp(request), request.operation).to.deep.equal(fenced);
        expect(await fence(bench, request), request.operation).to.deep.equal(fenced);
        expect(await bench.effectsOf(request.reference), request.operation).to.have.length(1);
      }
    },
  },
  {
    name: 'holds nothing by what is prepared, if nobody confirms it',
    needs: 'prepares',
    async check(bench) {
      const request = await bench.authorization('payment1');
      expect(request).to.have.property('processorTransactionId').that.is.a('string').and.not.empty;
      await bench.tested.advance(A_DAY_AND_AN_HOUR);
      await nothingHeld(bench, request);
    },
  },
  {
    name: 'holds nothing by a preparation that is lost, or refused by a proxy',
    needs: 'prepares',
    async check(bench) {
      for (const how of PREPARATION_FAULTS) {
        const requested = await bench.requested(how.replaceAll('_', ''));
        const ready = await bench.during(how, async (call) => bench.processor.prepare?.(requested, call));
        expect(ready?.kind, how).to.be.oneOf(how === 'refused' ? ['not_sent'] : ['unknown', 'not_sent']);
        if (ready !== undefined) bench.isDiscreet(ready);
        await nothingHeld(bench, requested);
      }
    },
  },
  {
    name: 'holds nothing by a preparation that arrives 25 hours late',
    needs: 'prepares',
    async check(bench) {
      const requested = await bench.requested('payment1');
      const ready = await bench.during('held', async (call) => bench.processor.prepare?.(requested, call));
      expect(ready?.kind).to.be.oneOf(['unknown', 'not_sent']);
      await nothingHeld(bench, requested);
      await bench.tested.advance(A_DAY_AND_AN_HOUR);
      await bench.faults.release();
      await nothingHeld(bench, requested);
    },
  },
  {
    name: 'confirms nothing without the name of what was prepared',
    needs: 'prepares',
    async check(bench) {
      const requested = await bench.requested('payment1');
      expect((await bench.perform(requested)).kind).to.equal('not_sent');
      await nothingHeld(bench, requested);
    },
  },
];
