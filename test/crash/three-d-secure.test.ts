// A process dies before or after its n-th append on the way through 3-D Secure, for every n. Another process ends the payment once.
import { expect } from 'chai';
import { defaultTimings } from '../../src/commands/payment-timings.ts';
import { waitingAuthorization } from '../../src/domain/payment/authentication.ts';
import { isKnown } from '../../src/domain/payment/queries.ts';
import type { Service } from '../../src/service.ts';
import { card, checkout, lookUpDue, memoryStores, merchant, nodeOn, type Stores } from '../support/node.ts';
import { type MovableWorld, movableWorld } from '../support/test-world.ts';
import { wholeLedger } from '../support/whole-ledger.ts';
import {
  differencesOf,
  hangingSessions,
  hangingWork,
  LOOK_UPS_MS,
  letFallDue,
  unlikeRebuilt,
  untilCaughtUp,
  verifyChains,
} from './books.ts';
import { type Dies, everyDeath, Mortal } from './mortal.ts';

const ACCOUNT = 'acc_1';
const HOUR_MS = 3_600_000;
const timings = { ...defaultTimings, answerWithinMs: 40 };

/** A payment that waits for its customer, and the token of the way back. */
interface Waiting {
  readonly id: string;
  readonly resumeToken: string;
  readonly challengeId: string;
  readonly sessionId: string;
}

interface Scenario {
  readonly name: string;
  readonly prepare?: (stores: Stores, waiting: Waiting, world: MovableWorld) => Promise<unknown>;
  readonly act: (service: Service, waiting: Waiting, world: MovableWorld) => Promise<unknown>;
  /** The statuses that the payment may end in. */
  readonly ends: readonly string[];
  /** The same where nobody asks again in time, because the call was lost with its process. */
  readonly endsUnasked?: readonly string[];
}

const approved = ({ sandbox }: Stores, { challengeId }: Waiting) => sandbox.answerChallenge(challengeId, true);
const isDone = <A extends { readonly kind: string }>(answer: A): answer is Exclude<A, { readonly kind: 'rejected' }> =>
  answer.kind !== 'rejected';
const done = <A extends { readonly kind: string }>(answer: A): Exclude<A, { readonly kind: 'rejected' }> => {
  if (isDone(answer)) return answer;
  throw new Error(JSON.stringify(answer));
};

const useAnotherCard = (service: Service, { id, sessionId }: Waiting, world: MovableWorld) =>
  service.payments.giveUpPaymentAction(id, {
    ...checkout(ACCOUNT, sessionId, world),
    idempotency: { key: 'one key', request: 'one body' },
  });

const SCENARIOS: readonly Scenario[] = [
  {
    name: 'a resumption',
    prepare: approved,
    act: (service, { id, resumeToken }, world) =>
      service.payments.resumePayment(id, { resumeToken }, merchant(ACCOUNT, world, 'one key', 'one body')),
    // Without a trace of the resumption the customer has not come back in time, and the approval is voided.
    ends: ['AUTHORIZED', 'FAILED'],
  },
  {
    name: 'a cancellation meanwhile',
    act: (service, { id }, world) => service.payments.cancelPayment(id, {}, merchant(ACCOUNT, world, 'one key', 'one body')),
    ends: ['CANCELLED'],
    endsUnasked: ['CANCELLED', 'FAILED'],
  },
  {
    name: 'a cancellation after the customer has approved',
    prepare: approved,
    act: (service, { id }, world) => service.payments.cancelPayment(id, {}, merchant(ACCOUNT, world, 'one key', 'one body')),
    ends: ['CANCELLED'],
    endsUnasked: ['CANCELLED', 'FAILED', 'AUTHORIZED'],
  },
  {
    name: 'a change of the card',
    act: (service, waiting, world) => useAnotherCard(service, waiting, world),
    ends: ['CANCELLED'],
    endsUnasked: ['CANCELLED', 'FAILED'],
  },
  {
    name: 'a change of the card after the customer has approved',
    prepare: approved,
    act: (service, waiting, world) => useAnotherCard(service, waiting, world),
    ends: ['AUTHORIZED'],
    // Without a trace of the change nobody has come back in time, and the approval is voided.
    endsUnasked: ['AUTHORIZED', 'FAILED'],
  },
  {
    name: 'the end of the time to act',
    prepare: async (_stores, _waiting, world) => world.advance(HOUR_MS),
    act: (service) => lookUpDue({ service }),
    ends: ['FAILED'],
  },
  {
    name: 'the end of the time to act, with a success found',
    prepare: async (stores, waiting, world) => {
      await approved(stores, waiting);
      world.advance(HOUR_MS);
    },
    act: (service) => lookUpDue({ service }),
    ends: ['FAILED'],
  },
];

async function waitingPayment(service: Service, world: MovableWorld): Promise<Waiting> {
  const made = done(
    await service.sessions.createClientSession({ orderId: 'o-1', currencyCode: 'EUR', amount: 1_000 }, merchant(ACCOUNT, world)),
  );
  const { id: paymentMethodToken } = done(
    await service.instruments.tokenizeCard(card('4000000000003220'), checkout(ACCOUNT, made.id, world)),
  );
  const { id } = done(
    await service.payments.authorizePayment({ clientToken: made.clientToken, paymentMethodToken }, merchant(ACCOUNT, world)),
  );
  const { state } = await service.streams.payments.current(id);
  const attempt = waitingAuthorization(state);
  if (attempt?.action.kind !== 'redirect') throw new Error('the payment waits for nobody');
  const challengeId = attempt.action.url.split('/').at(-1) ?? '';
  return { id, challengeId, sessionId: made.id, resumeToken: '' };
}

/** The token that the sandbox sends the customer back with. */
async function withToken({ sandbox }: Stores, waiting: Waiting): Promise<Waiting> {
  const challenge = await sandbox.challenge(waiting.challengeId);
  return { ...waiting, resumeToken: new URL(challenge?.returnUrl ?? '').searchParams.get('resumeToken') ?? '' };
}

/** False when the work had fewer appends, so that the process did not die. */
async function survives({ prepare, act, ends, endsUnasked = ends }: Scenario, dies: Dies, retryAtOnce: boolean): Promise<boolean> {
  const world = movableWorld();
  const stores = await memoryStores(world);
  const mortal = new Mortal(stores);
  const first = await mortal.open(timings);
  const waiting = await withToken(stores, await waitingPayment(first, world));
  await prepare?.(stores, waiting, world);
  if (!(await mortal.diesOf(() => act(first, waiting, world), dies))) return false;

  const { service, reported } = await nodeOn(stores, { timings, leaps: true });
  const over = new AbortController();
  try {
    await untilCaughtUp(service, over.signal);
    if (retryAtOnce) await act(service, waiting, world);
    await letFallDue(service, world, LOOK_UPS_MS);
    await act(service, waiting, world);
    await letFallDue(service, world, LOOK_UPS_MS);
    const { state } = await service.streams.payments.current(waiting.id);
    expect(isKnown(state) ? state.status : 'none').to.be.oneOf(retryAtOnce ? ends : endsUnasked);
    const held = (await wholeLedger(stores.sandbox)).filter(({ outcome }) => outcome === 'succeeded').map(({ operation }) => operation);
    if (state.status === 'AUTHORIZED') expect(held).to.deep.equal(['authorization']);
    else expect(held.join()).to.be.oneOf(['', 'authorization,cancellation']);
    expect(await hangingWork(service.readModels)).to.deep.equal([]);
    expect(await hangingSessions(service)).to.deep.equal([]);
    expect(await differencesOf(service, stores.sandbox)).to.deep.equal([]);
    expect(await unlikeRebuilt(service)).to.deep.equal([]);
    expect((await verifyChains(stores.events)).broken).to.deep.equal([]);
    expect(reported).to.deep.equal([]);
  } finally {
    over.abort();
  }
  return true;
}

describe('a process that dies at its n-th append on the way through 3-D Secure', () => {
  for (const scenario of SCENARIOS) {
    it(`leaves ${scenario.name} to be finished once, for every n`, async () => {
      const points = await everyDeath((dies, retryAtOnce) => survives(scenario, dies, retryAtOnce));
      expect(points).to.be.at.least(2);
    });
  }
});
