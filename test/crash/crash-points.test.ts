// A process dies before or after its n-th append, for every n. Another process finishes the work once, and no claim is
// left.
import { expect } from 'chai';
import { consentText } from '../../src/commands/agreements/consent-text.ts';
import type { Answer, Caller } from '../../src/commands/caller.ts';
import type { LedgerLine } from '../../src/processors/sandbox/sandbox-interface.ts';
import type { Service } from '../../src/service.ts';
import { card, merchant } from '../support/node.ts';
import type { MovableWorld } from '../support/test-world.ts';
import { wholeLedger } from '../support/whole-ledger.ts';
import { claimedInVain, differencesOf, hangingWork, LOOK_UPS_MS, letFallDue } from './books.ts';
import { everyDeath } from './mortal.ts';
import { ACCOUNT, done, expectNothingLeft, type Place, session, takenOver, token } from './taken-over.ts';

type Act = (service: Service, caller: Caller) => Promise<Answer<unknown>>;

interface Scenario {
  readonly name: string;
  /** Prepares the work on a process that does not die. */
  readonly prepare: (service: Service, world: MovableWorld) => Promise<Act>;
  /**
   * Whether stores append to several streams at once; undefined if the work appends to one stream at a time in any
   * store.
   */
  readonly together?: boolean;
  /** Whether authorizations are prepared first. */
  readonly prepares?: boolean;
  /** The most successes of each operation at the processor in the end. */
  readonly effect: Readonly<Record<string, number>>;
}

const payable = async (service: Service, world: MovableWorld, fields: object = {}, number?: string) => {
  const { id, clientToken } = await session(service, world, fields);
  return { clientToken, paymentMethodToken: await token(service, world, id, number) };
};
const paying =
  (fields: object = {}, number?: string): Scenario['prepare'] =>
  async (service, world) => {
    const asked = await payable(service, world, fields, number);
    return (at, caller) => at.payments.authorizePayment(asked, caller);
  };
const onPayment =
  (
    act: (service: Service, id: string, caller: Caller) => Promise<Answer<unknown>>,
    captured: boolean,
    fields: object = {},
  ): Scenario['prepare'] =>
  async (service, world) => {
    const { id } = done(
      await service.payments.authorizePayment(await payable(service, world, fields), merchant(ACCOUNT, world)),
    );
    if (captured) done(await service.payments.capturePayment(id, {}, merchant(ACCOUNT, world)));
    return (at, caller) => act(at, id, caller);
  };
const onInstrument =
  (
    act: (service: Service, token: string, caller: Caller) => Promise<Answer<unknown>>,
    vaulted: boolean,
  ): Scenario['prepare'] =>
  async (service, world) => {
    const one = (await payable(service, world)).paymentMethodToken;
    const other = (await payable(service, world, {}, '5555555555554444')).paymentMethodToken;
    done(await service.instruments.vaultInstrument(other, { customerId: 'c-1' }, merchant(ACCOUNT, world)));
    if (vaulted) done(await service.instruments.vaultInstrument(one, { customerId: 'c-1' }, merchant(ACCOUNT, world)));
    return (at, caller) => act(at, one, caller);
  };

/** A charge of a period. `number`: of the card with which the agreement began. */
const charging =
  (number?: string): Scenario['prepare'] =>
  async (service, world) => {
    const caller = merchant(ACCOUNT, world);
    const kept = { customerId: 'c-1', paymentMethod: { vaultOnSuccess: true } };
    const first = done(await service.payments.authorizePayment(await payable(service, world, kept, number), caller));
    const terms = { amountRule: 'VARIABLE' as const, currencyCode: 'EUR', description: 'Top-ups' };
    const consent = { acceptedAt: 0, channel: 'PAPER' as const, textDigest: 'ab'.repeat(32) };
    const asked = { paymentId: first.id, kind: 'UNSCHEDULED' as const, terms, consent };
    const { id } = done(await service.agreements.createAgreement(asked, caller));
    const charge = { periodKey: 'p', orderId: 'o-p', amount: 500, captureMode: 'MANUAL' as const };
    return (at, by) => at.payments.chargeAgreement(id, charge, by);
  };

const HERE = { shopName: undefined, userAgent: undefined };
/** A session with an agreement, and the consent of its customer. */
const proposing = async (service: Service, world: MovableWorld) => {
  const terms = { amountRule: 'VARIABLE' as const, currencyCode: 'EUR', description: 'Top-ups' };
  const agreement = { kind: 'UNSCHEDULED' as const, terms };
  const { id } = await session(service, world, { customerId: 'c-1', agreement });
  const { textDigest } = consentText({ ...agreement, shopName: undefined }, 'en');
  const by = (caller: Caller): Caller => ({ ...caller, sessionId: id, actor: { kind: 'checkout', id } });
  return { id, asked: { language: 'en' as const, textDigest }, by };
};

const SCENARIOS: readonly Scenario[] = [
  { name: 'a payment', prepare: paying(), effect: { authorization: 1 } },
  {
    name: 'a payment whose claims are in its own append',
    prepare: paying(),
    effect: { authorization: 1 },
    together: true,
  },
  {
    name: 'a declined payment whose claims are in its own append',
    prepare: paying({}, '4000000000000002'),
    effect: {},
    together: true,
  },
  { name: 'a payment that is prepared first', prepare: paying(), effect: { authorization: 1 }, prepares: true },
  {
    name: 'a payment that is prepared first, with its claims in its own append',
    prepare: paying(),
    effect: { authorization: 1 },
    together: true,
    prepares: true,
  },
  {
    name: 'a payment that is prepared first, and whose answer is lost',
    prepare: paying({}, '4000009900001044'),
    effect: { authorization: 1 },
    prepares: true,
  },
  {
    name: 'a payment that captures and vaults',
    prepare: paying({ customerId: 'c-1', paymentMethod: { captureMode: 'AUTOMATIC', vaultOnSuccess: true } }),
    effect: { authorization: 1, capture: 1 },
  },
  { name: 'a payment that is declined', prepare: paying({}, '4000000000000002'), effect: {} },
  { name: 'a payment that asks its customer', prepare: paying({}, '4000000000003220'), effect: {} },
  {
    name: 'a payment whose issuer asks for 3-D Secure',
    prepare: paying({}, '4000009900002042'),
    effect: { authorization: 1 },
  },
  { name: 'a payment that is not sent', prepare: paying({}, '4000009900001085'), effect: {} },
  { name: 'a payment whose answer is lost', prepare: paying({}, '4000009900001044'), effect: { authorization: 1 } },
  {
    name: 'a payment in a checkout',
    prepare: async (service, world) => {
      const { id } = await session(service, world);
      const paymentMethodToken = await token(service, world, id);
      return (at, caller) =>
        at.payments.authorizeCheckoutPayment(
          { paymentMethodToken },
          { ...caller, sessionId: id, actor: { kind: 'checkout', id } },
        );
    },
    effect: { authorization: 1 },
  },
  {
    name: 'a capture of a part',
    prepare: onPayment(
      (service, id, caller) => service.payments.capturePayment(id, { amount: 300, final: false }, caller),
      false,
    ),
    effect: { authorization: 1, capture: 1 },
  },
  {
    name: 'a refund of a part',
    prepare: onPayment((service, id, caller) => service.payments.refundPayment(id, { amount: 300 }, caller), true),
    effect: { authorization: 1, capture: 1, refund: 1 },
  },
  {
    name: 'a cancellation',
    prepare: onPayment((service, id, caller) => service.payments.cancelPayment(id, {}, caller), false),
    effect: { authorization: 1, cancellation: 1 },
  },
  {
    name: 'an adjustment',
    prepare: onPayment(
      (service, id, caller) => service.payments.adjustAuthorization(id, { amount: 1_500 }, caller),
      false,
      {
        paymentMethod: { authorizationType: 'ESTIMATED' },
      },
    ),
    effect: { authorization: 1, adjustment: 1 },
  },
  { name: 'a charge of a period', prepare: charging(), effect: { authorization: 2 } },
  {
    name: 'a charge of a period that is declined',
    prepare: charging('4000009900005037'),
    effect: { authorization: 1 },
  },
  {
    name: 'a consent in the checkout',
    prepare: async (service, world) => {
      const { asked, by } = await proposing(service, world);
      return (at, caller) => at.agreements.agreeInCheckout(asked, HERE, by(caller));
    },
    effect: {},
  },
  {
    name: 'the payment of an agreement in the checkout',
    prepare: async (service, world) => {
      const { id, asked, by } = await proposing(service, world);
      done(await service.agreements.agreeInCheckout(asked, HERE, by(merchant(ACCOUNT, world))));
      const paymentMethodToken = await token(service, world, id);
      return (at, caller) => at.payments.authorizeCheckoutPayment({ paymentMethodToken }, by(caller));
    },
    effect: { authorization: 1 },
  },
  {
    name: 'a session',
    prepare: async () => (service, caller) => service.sessions.createClientSession({ orderId: 'o-1' }, caller),
    effect: {},
  },
  {
    name: 'a patch',
    prepare: async (service, world) => {
      const { clientToken } = await session(service, world);
      return (at, caller) => at.sessions.patchClientSession({ clientToken, orderId: 'o-2' }, caller);
    },
    effect: {},
  },
  {
    name: 'a patch of a session whose declined payment never gave it back',
    prepare: async (service, world) => {
      const { id, clientToken } = await session(service, world);
      const { sessions } = service.streams;
      const { append } = sessions;
      sessions.append = (...args) =>
        args[2].some(({ type }) => type === 'ClientSessionReleased')
          ? Promise.reject(new Error('not now'))
          : append.apply(sessions, args);
      const paymentMethodToken = await token(service, world, id, '4000000000000002');
      done(await service.payments.authorizePayment({ clientToken, paymentMethodToken }, merchant(ACCOUNT, world)));
      sessions.append = append;
      return (at, caller) => at.sessions.patchClientSession({ clientToken, orderId: 'o-2' }, caller);
    },
    effect: {},
  },
  {
    name: 'a tokenization',
    prepare: async (service, world) => {
      const { id } = await session(service, world);
      return (at, caller) => at.instruments.tokenizeCard(card(), { ...caller, sessionId: id });
    },
    effect: {},
  },
  {
    name: 'a vaulting',
    prepare: onInstrument(
      (service, one, caller) => service.instruments.vaultInstrument(one, { customerId: 'c-1' }, caller),
      false,
    ),
    effect: {},
  },
  {
    name: 'a default',
    prepare: onInstrument((service, one, caller) => service.instruments.makeInstrumentDefault(one, caller), true),
    effect: {},
  },
  {
    name: 'a deletion',
    prepare: onInstrument((service, one, caller) => service.instruments.deletePaymentInstrument(one, caller), true),
    effect: {},
  },
];

const succeeded = (ledger: readonly LedgerLine[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const { operation, outcome } of ledger)
    if (outcome === 'succeeded') counts[operation] = (counts[operation] ?? 0) + 1;
  return counts;
};

/** The next process's work, with and without a repetition by the caller. */
async function finish(
  place: Place,
  act: (service: Service) => Promise<Answer<unknown>>,
  effect: Scenario['effect'],
  retryAtOnce: boolean,
): Promise<void> {
  const { service, stores, world } = place;
  if (retryAtOnce) {
    const early = await act(service);
    if (early.kind === 'rejected') expect(early.errorId).to.equal('IdempotencyKeyInProgress');
  }
  await letFallDue(service, world, LOOK_UPS_MS);
  expect(await hangingWork(service.readModels)).to.deep.equal([]);
  expect(await differencesOf(service, stores.sandbox)).to.deep.equal([]);

  // An abandoned payment needs one more try: its key then starts again.
  let answer = await act(service);
  if (answer.kind === 'rejected' && answer.errorId === 'Conflict') answer = await act(service);
  if (answer.kind === 'rejected') expect(answer.errorId).to.match(/Declined$/); // the processor never received it
  await letFallDue(service, world, LOOK_UPS_MS);
  const replayed = await act(service);
  expect(replayed).to.include({ replayed: true });
  if (answer.kind === 'completed' && answer.status === 200)
    expect(replayed).to.deep.equal({ ...answer, replayed: true });

  const moved = succeeded(await wholeLedger(stores.sandbox));
  for (const [operation, count] of Object.entries(moved))
    expect(count, operation).to.be.at.most(effect[operation] ?? 0);
  expect(await hangingWork(service.readModels)).to.deep.equal([]);
  for (const { token: one } of await claimedInVain(service)) {
    done(
      await service.payments.authorizePayment(
        { paymentMethodToken: one, orderId: 'again', currencyCode: 'EUR', amount: 5 },
        merchant(ACCOUNT, world),
      ),
    );
  }
  await letFallDue(service, world, LOOK_UPS_MS);
  await expectNothingLeft(place);
}

describe('a process that dies at its n-th append', () => {
  for (const scenario of SCENARIOS) {
    it(`leaves ${scenario.name} to be finished once, for every n`, async () => {
      const call = (on: Service, act: Act, world: MovableWorld) =>
        act(on, merchant(ACCOUNT, world, 'one key', 'one body'));
      const points = await everyDeath((dies, retryAtOnce) =>
        takenOver(
          {
            prepare: ({ service, world }) => scenario.prepare(service, world),
            begin: ({ service, world }, act) => call(service, act, world),
            finish: (place, act) => finish(place, (on) => call(on, act, place.world), scenario.effect, retryAtOnce),
          },
          dies,
          scenario,
        ),
      );
      expect(points).to.be.at.least(4); // at least the key's own append and one more
    });
  }
});
