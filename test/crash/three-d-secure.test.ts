// A process dies before or after its n-th append on the way through 3-D Secure, for every n. Another process ends the
// payment once.
import { expect } from 'chai';
import { waitingAuthorization } from '../../src/domain/payment/authentication.ts';
import { isKnown } from '../../src/domain/payment/queries.ts';
import type { Service } from '../../src/service.ts';
import { checkout, lookUpDue, merchant, type Stores } from '../support/node.ts';
import type { MovableWorld } from '../support/test-world.ts';
import { wholeLedger } from '../support/whole-ledger.ts';
import { LOOK_UPS_MS, letFallDue } from './books.ts';
import { everyDeath } from './mortal.ts';
import { ACCOUNT, done, expectNothingLeft, type Place, session, takenOver, token } from './taken-over.ts';

const HOUR_MS = 3_600_000;

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
  /** The end if nobody asks again in time, because the call was lost with its process. */
  readonly endsUnasked?: readonly string[];
}

const approved = ({ sandbox }: Stores, { challengeId }: Waiting) => sandbox.answerChallenge(challengeId, true);
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
    act: (service, { id }, world) =>
      service.payments.cancelPayment(id, {}, merchant(ACCOUNT, world, 'one key', 'one body')),
    ends: ['CANCELLED'],
    endsUnasked: ['CANCELLED', 'FAILED'],
  },
  {
    name: 'a cancellation after the customer has approved',
    prepare: approved,
    act: (service, { id }, world) =>
      service.payments.cancelPayment(id, {}, merchant(ACCOUNT, world, 'one key', 'one body')),
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
  const { id: sessionId, clientToken } = await session(service, world);
  const paymentMethodToken = await token(service, world, sessionId, '4000000000003220');
  const { id } = done(
    await service.payments.authorizePayment({ clientToken, paymentMethodToken }, merchant(ACCOUNT, world)),
  );
  const { state } = await service.streams.payments.current(id);
  const attempt = waitingAuthorization(state);
  if (attempt?.action.kind !== 'redirect') throw new Error('the payment waits for nobody');
  const challengeId = attempt.action.url.split('/').at(-1) ?? '';
  return { id, challengeId, sessionId, resumeToken: '' };
}

/** The token that the sandbox sends the customer back with. */
async function withToken({ sandbox }: Stores, waiting: Waiting): Promise<Waiting> {
  const challenge = await sandbox.challenge(waiting.challengeId);
  return { ...waiting, resumeToken: new URL(challenge?.returnUrl ?? '').searchParams.get('resumeToken') ?? '' };
}

async function finish(
  place: Place,
  waiting: Waiting,
  { act, ends, endsUnasked = ends }: Scenario,
  retryAtOnce: boolean,
): Promise<void> {
  const { service, stores, world } = place;
  if (retryAtOnce) await act(service, waiting, world);
  await letFallDue(service, world, LOOK_UPS_MS);
  await act(service, waiting, world);
  await letFallDue(service, world, LOOK_UPS_MS);
  const { state } = await service.streams.payments.current(waiting.id);
  expect(isKnown(state) ? state.status : 'none').to.be.oneOf(retryAtOnce ? ends : endsUnasked);
  const held = (await wholeLedger(stores.sandbox))
    .filter(({ outcome }) => outcome === 'succeeded')
    .map(({ operation }) => operation);
  if (state.status === 'AUTHORIZED') expect(held).to.deep.equal(['authorization']);
  else expect(held.join()).to.be.oneOf(['', 'authorization,cancellation']);
  await expectNothingLeft(place);
}

describe('a process that dies at its n-th append on the way through 3-D Secure', () => {
  for (const scenario of SCENARIOS) {
    it(`leaves ${scenario.name} to be finished once, for every n`, async () => {
      const points = await everyDeath((dies, retryAtOnce) =>
        takenOver(
          {
            async prepare({ service, stores, world }) {
              const waiting = await withToken(stores, await waitingPayment(service, world));
              await scenario.prepare?.(stores, waiting, world);
              return waiting;
            },
            begin: ({ service, world }, waiting) => scenario.act(service, waiting, world),
            finish: (place, waiting) => finish(place, waiting, scenario, retryAtOnce),
          },
          dies,
        ),
      );
      expect(points).to.be.at.least(2);
    });
  }
});
