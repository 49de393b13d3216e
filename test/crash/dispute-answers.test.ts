// A process dies before or after its n-th append while it answers a dispute, for every n. The answer is sent once, and
// another process ends it.
import { expect } from 'chai';
import type { Answer, Caller } from '../../src/commands/caller.ts';
import { defaultTimings } from '../../src/commands/payment-timings.ts';
import type { Payment } from '../../src/domain/payment/payment.ts';
import type { Service } from '../../src/service.ts';
import { known } from '../support/answers.ts';
import { disputedPayment } from '../support/disputed-payment.ts';
import { memoryStores, merchant, nodeOn, type Stores } from '../support/node.ts';
import { movableWorld } from '../support/test-world.ts';
import {
  differencesOf,
  hangingWork,
  LOOK_UPS_MS,
  letFallDue,
  unlikeRebuilt,
  untilCaughtUp,
  verifyChains,
} from './books.ts';
import { type Dies, everyDeath, Mortal } from './mortal.ts';

const ACCOUNT = 'acc_1';
const timings = { ...defaultTimings, answerWithinMs: 40 };

type Act = (service: Service, paymentId: string, caller: Caller) => Promise<Answer<Payment>>;
const ACTS: readonly { readonly name: string; readonly act: Act; readonly ends: string }[] = [
  {
    name: 'evidence',
    act: (service, id, caller) =>
      service.payments.submitEvidence(id, 'dsp_1', { text: 'It was delivered.', submit: true }, caller),
    ends: 'CHALLENGED',
  },
  {
    name: 'an acceptance',
    act: (service, id, caller) => service.payments.acceptDispute(id, 'dsp_1', caller),
    ends: 'ACCEPTED',
  },
];
/** The faults of the first call, by rules of the sandbox. */
const FAULTS = {
  'that the processor answers': [],
  'whose answer is lost': [{ phase: 'during_reply', fault: 'reset', times: 1 }],
  'that is lost on its way': [{ phase: 'before_effect', fault: 'hang', times: 1 }],
} as const;

/** The stores with a sandbox that counts how often each answer is sent to it. */
function counted(stores: Stores): { readonly stores: Stores; readonly sent: ReadonlyMap<string, number> } {
  const sent = new Map<string, number>();
  const { sandbox } = stores;
  const dispute: typeof sandbox.dispute = (request, call) => {
    sent.set(request.reference, (sent.get(request.reference) ?? 0) + 1);
    return sandbox.dispute(request, call);
  };
  return { stores: { ...stores, sandbox: { ...sandbox, dispute } }, sent };
}

/** False if the work had fewer appends, so that the process did not die. */
async function survives(
  act: Act,
  ends: string,
  faults: readonly object[],
  dies: Dies,
  retryAtOnce: boolean,
): Promise<boolean> {
  const world = movableWorld();
  const { stores, sent } = counted(await memoryStores(world));
  const mortal = new Mortal(stores);
  const first = await mortal.open(timings);
  const { id } = await disputedPayment(first, world, ACCOUNT);
  const rules = faults.map((one) => ({ match: { operation: 'dispute_answer' }, do: one }));
  expect(await stores.sandbox.setFaults(ACCOUNT, { rules })).to.include({ kind: 'set' });
  const caller = (): Caller => merchant(ACCOUNT, world, 'one key', 'one body');
  if (!(await mortal.diesOf(() => act(first, id, caller()), dies))) return false;

  const { service, reported } = await nodeOn(stores, { timings, leaps: true });
  const over = new AbortController();
  try {
    await untilCaughtUp(service, over.signal);
    if (retryAtOnce) {
      const early = await act(service, id, caller());
      if (early.kind === 'rejected') expect(early.errorId).to.equal('IdempotencyKeyInProgress');
    }
    await letFallDue(service, world, LOOK_UPS_MS);
    expect(await hangingWork(service.readModels)).to.deep.equal([]);
    expect(await differencesOf(service, stores.sandbox)).to.deep.equal([]);
    // The merchant repeats the call until it is completed: a call that never arrived is sent under another reference.
    let again = await act(service, id, caller());
    if (again.kind === 'completed' && again.status === 202) {
      await letFallDue(service, world, LOOK_UPS_MS);
      again = await act(service, id, caller());
    }
    expect(again).to.include({ kind: 'completed', status: 200 });
    const [dispute] = known((await service.streams.payments.current(id)).state).disputes;
    expect([dispute?.status, dispute?.answer?.state]).to.deep.equal([ends, 'succeeded']);
    expect(
      [...sent.values()].every((times) => times === 1),
      JSON.stringify([...sent]),
    ).to.equal(true);
    expect(await hangingWork(service.readModels)).to.deep.equal([]);
    expect(await differencesOf(service, stores.sandbox)).to.deep.equal([]);
    expect(await unlikeRebuilt(service)).to.deep.equal([]);
    expect((await verifyChains(stores.events)).broken).to.deep.equal([]);
    expect(reported).to.deep.equal([]);
  } finally {
    over.abort();
  }
  return true;
}

describe('a process that dies at its n-th append while it answers a dispute', () => {
  for (const { name, act, ends } of ACTS)
    for (const [what, faults] of Object.entries(FAULTS))
      it(`leaves ${name} ${what} to be finished, and sent once, for every n`, async () => {
        const points = await everyDeath((dies, retryAtOnce) => survives(act, ends, faults, dies, retryAtOnce));
        expect(points).to.be.at.least(4); // at least the key's own append and the request
      });
});
