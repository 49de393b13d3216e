// A process dies between every two calls to Stripe, and before or after every append. Another process settles the
// outcome, by the twin's own ledger once; and a call that the dead process had sent may still arrive later.
import { expect } from 'chai';
import { secretsOfMachine } from '../../src/cli/open/machine-secrets.ts';
import type { Answer, Caller } from '../../src/commands/caller.ts';
import { recordProof } from '../../src/domain/connection.ts';
import type { Payment } from '../../src/domain/payment/payment.ts';
import { operatorContext } from '../../src/journal/contexts.ts';
import { transact } from '../../src/journal/transact.ts';
import { type HttpAnswer, type HttpCall, httpCaller } from '../../src/processors/http-call.ts';
import type { OpenCaller } from '../../src/processors/stripe/api.ts';
import { openStripe } from '../../src/processors/stripe/stripe.ts';
import { payments } from '../../src/projections/models/payments.ts';
import type { Service } from '../../src/service.ts';
import { liveWorld } from '../../src/world.ts';
import { done, known } from '../support/answers.ts';
import { checkout, memoryStores, merchant, nodeOn, type Stores } from '../support/node.ts';
import { twinDifferences } from '../support/stripe-twin/books.ts';
import type { Effect } from '../support/stripe-twin/state.ts';
import { openStripeTwin, type StripeTwin, type TwinAccount } from '../support/stripe-twin/stripe-twin.ts';
import { signatureOf } from '../support/stripe-twin/webhooks.ts';
import { type MovableWorld, movableWorld } from '../support/test-world.ts';
import {
  hangingSessions,
  hangingWork,
  LOOK_UPS_MS,
  letFallDue,
  unlikeRebuilt,
  untilCaughtUp,
  verifyChains,
} from './books.ts';
import { hookedEvents } from './hooked-stores.ts';

const WEBHOOK_SECRET = 'whsec_of_this_test';
/** Longer than from a call of a dead process to its settlement, shorter than Stripe keeps a key, ms. */
const LATER_MS = 3_600_000;

/** How a process dies at a step; `late`: its call arrives when everything is settled. */
interface Death {
  readonly step: number;
  readonly isLate: boolean;
}

/** A process of the shop, whose appends and calls are steps. From its death on it neither appends nor calls. */
class ShopProcess {
  readonly steps: string[] = [];
  /** Delivers the call that was under way. */
  deliverLate: (() => Promise<HttpAnswer>) | undefined;
  readonly died: Promise<void>;
  #death: Death | undefined;
  #isWalking = false;
  #isDead = false;
  #tellDeath: () => void = () => undefined;

  constructor() {
    this.died = new Promise((resolve) => {
      this.#tellDeath = resolve;
    });
  }

  /** Its next steps count. Without a death it lives through them. */
  walk(death?: Death): void {
    this.#death = death;
    this.#isWalking = true;
  }

  get isDead(): boolean {
    return this.#isDead;
  }

  events({ events }: Stores) {
    return hookedEvents(events, {
      before: ({ types }) => this.#step(`before append ${types.join('+')}`),
      after: ({ types }) => this.#step(`after append ${types.join('+')}`),
    });
  }

  readonly openCaller: OpenCaller = (base) => {
    const caller = httpCaller({ base, world: liveWorld });
    return {
      call: async (call, signal) => {
        const line = lineOf(call);
        await this.#step(`before ${line}`, () => caller.call(call, AbortSignal.timeout(5_000)));
        const answer = await caller.call(call, signal);
        await this.#step(`after ${line}`);
        return answer;
      },
      close: () => caller.close(),
    };
  };

  #step(name: string, deliver?: () => Promise<HttpAnswer>): Promise<void> | undefined {
    if (this.#isDead) return forever();
    if (!this.#isWalking) return undefined;
    this.steps.push(name);
    if (this.#death?.step !== this.steps.length) return undefined;
    this.#isDead = true;
    if (this.#death.isLate) this.deliverLate = deliver;
    this.#tellDeath();
    return forever();
  }
}

const forever = (): Promise<never> => new Promise(() => undefined);

function lineOf({ method, path, headers }: HttpCall): string {
  const plain = path.replace(/\?.*$/, '').replace(/(pi|re|dp|ctoken)_\w+/, '{$1}');
  const key = headers['Idempotency-Key'];
  return key === undefined ? `${method} ${plain}` : `${method} ${plain} ${key.endsWith('p') ? 'Rp' : 'R'}`;
}

interface Place {
  readonly service: Service;
  readonly world: MovableWorld;
  readonly stores: Stores;
  readonly twin: StripeTwin;
  readonly account: TwinAccount;
  readonly accountId: string;
  readonly connectionId: string;
  /** The key by which notifications of the connection come. */
  readonly webhookKeyId: string;
}
/** Undefined: nobody waits for an answer. */
type Act = (place: Place, caller: Caller) => Promise<Answer<Payment> | undefined>;

interface Scenario {
  readonly name: string;
  /** Prepares the work on a process that does not die. */
  readonly prepare: (place: Place) => Promise<Act>;
  /** The calls of the work where nothing dies, in their order (the table of operations and calls). */
  readonly calls: readonly string[];
  /** The calls as long as a fence proves nothing yet; as `calls` if it is missing. */
  readonly unproven?: readonly string[];
  /** The movements of money that may have happened in the end; the last if nothing dies. */
  readonly effects: readonly (readonly string[])[];
}

const PREPARE = 'POST /v1/payment_intents Rp';
const CONFIRM = 'POST /v1/payment_intents/{pi}/confirm R';
const BURN = 'POST /v1/payment_intents/{pi} R';
const READ = 'GET /v1/payment_intents/{pi}';

const shopCall = ({ accountId, world }: Place, key?: string): Caller => merchant(accountId, world, key, key);

async function payable(place: Place, card: string, fields: object = {}) {
  const { service, accountId, world, account, connectionId } = place;
  const session = await service.sessions.createClientSession(
    { orderId: 'o-1', currencyCode: 'EUR', amount: 1_000, ...fields },
    shopCall(place),
  );
  if (session.kind === 'rejected') throw new Error(session.description);
  const processorToken = { connectionId, type: 'confirmation_token', token: account.confirmationToken(card) };
  const { id } = done(
    await service.instruments.tokenizeCard({ processorToken }, checkout(accountId, session.id, world)),
  );
  return { clientToken: session.clientToken, paymentMethodToken: id };
}

const paying =
  (card: string, fields: object = {}): Scenario['prepare'] =>
  async (place) => {
    const asked = await payable(place, card, fields);
    return ({ service }, caller) => service.payments.authorizePayment(asked, caller);
  };

const authorized = async (place: Place, card: string, fields: object = {}): Promise<Answer<Payment>> =>
  place.service.payments.authorizePayment(await payable(place, card, fields), shopCall(place));
const paid = async (place: Place, card: string, fields: object = {}): Promise<string> =>
  done(await authorized(place, card, fields)).id;
async function captured(place: Place): Promise<string> {
  const id = await paid(place, 'pm_card_visa');
  done(await place.service.payments.capturePayment(id, {}, shopCall(place)));
  return id;
}
const intentOf = async ({ service }: Place, id: string): Promise<string> =>
  known((await service.streams.payments.current(id)).state).attempts[0]?.processorTransactionId ?? '';

const onPayment =
  (
    make: (place: Place) => Promise<string>,
    act: (service: Service, id: string, caller: Caller) => Promise<Answer<Payment>>,
  ): Scenario['prepare'] =>
  async (place) => {
    const id = await make(place);
    return ({ service }, caller) => act(service, id, caller);
  };

/** A payment whose dispute is open here too. */
async function disputed(place: Place): Promise<{ readonly id: string; readonly disputeId: string }> {
  const { account, service, world, webhookKeyId } = place;
  const id = await captured(place);
  account.openDispute(await intentOf(place, id));
  const raw = JSON.stringify(account.events.findLast(({ type }) => type === 'charge.dispute.created'));
  const headers = { 'stripe-signature': signatureOf([WEBHOOK_SECRET], raw, world.now()) };
  const received = await service.notifications.receiveNotification(
    { processor: 'stripe', raw, headers },
    { ...shopCall(place), actor: { kind: 'apiKey', id: webhookKeyId } },
  );
  if (received.kind !== 'received') throw new Error(JSON.stringify(received));
  await received.handled;
  const [dispute] = known((await service.streams.payments.current(id)).state).disputes;
  if (dispute === undefined) throw new Error('the dispute is not on record');
  return { id, disputeId: dispute.disputeId };
}

/** The look-ups and fences of what a fault has left. */
const resolving =
  (path: RegExp, effect: 'done' | 'none', ask: (place: Place) => Promise<Answer<Payment>>): Scenario['prepare'] =>
  async (place) => {
    place.twin.fault({ path }, { kind: 'reset', effect });
    expect(done(await ask(place)).status).to.equal(202);
    return async ({ service, world }) => void (await letFallDue(service, world, LOOK_UPS_MS));
  };

const CHALLENGED = 'pm_card_threeDSecure2Required';

const SCENARIOS: readonly Scenario[] = [
  {
    name: 'an authorization',
    prepare: paying('pm_card_visa'),
    calls: [PREPARE, CONFIRM],
    effects: [[], ['hold 1000']],
  },
  {
    name: 'an authorization that is declined',
    prepare: paying('pm_card_chargeDeclined'),
    calls: [PREPARE, CONFIRM],
    effects: [[]],
  },
  {
    name: 'an authorization with 3-D Secure',
    prepare: paying(CHALLENGED),
    calls: [PREPARE, CONFIRM],
    effects: [[]],
  },
  {
    name: 'an authorization that captures at once',
    prepare: paying('pm_card_visa', { paymentMethod: { captureMode: 'AUTOMATIC' } }),
    calls: [PREPARE, CONFIRM, 'POST /v1/payment_intents/{pi}/capture R'],
    effects: [[], ['hold 1000'], ['hold 1000', 'capture 1000']],
  },
  {
    name: 'the way back from 3-D Secure',
    async prepare(place) {
      const id = await paid(place, CHALLENGED);
      const back = new URL(place.account.approve(await intentOf(place, id)) ?? '');
      const resumeToken = back.searchParams.get('resumeToken') ?? '';
      return ({ service }, caller) => service.payments.resumePayment(id, { resumeToken }, caller);
    },
    calls: [READ],
    effects: [['hold 1000', 'release 1000'], ['hold 1000']],
  },
  {
    name: 'a cancellation at the bank',
    prepare: onPayment(
      (place) => paid(place, CHALLENGED),
      (service, id, caller) => service.payments.cancelPayment(id, {}, caller),
    ),
    calls: [BURN, READ, 'POST /v1/payment_intents/{pi}/cancel'],
    effects: [[]],
  },
  {
    name: 'a capture',
    prepare: onPayment(
      (place) => paid(place, 'pm_card_visa'),
      (service, id, caller) => service.payments.capturePayment(id, {}, caller),
    ),
    calls: ['POST /v1/payment_intents/{pi}/capture R'],
    effects: [['hold 1000'], ['hold 1000', 'capture 1000']],
  },
  {
    name: 'a capture of a part',
    prepare: onPayment(
      (place) => paid(place, 'pm_card_visa'),
      (service, id, caller) => service.payments.capturePayment(id, { amount: 300, final: true }, caller),
    ),
    calls: ['POST /v1/payment_intents/{pi}/capture R'],
    effects: [['hold 1000'], ['hold 1000', 'capture 300', 'release 700']],
  },
  {
    name: 'a void',
    prepare: onPayment(
      (place) => paid(place, 'pm_card_visa'),
      (service, id, caller) => service.payments.cancelPayment(id, {}, caller),
    ),
    calls: ['POST /v1/payment_intents/{pi}/cancel R'],
    effects: [['hold 1000'], ['hold 1000', 'release 1000']],
  },
  {
    name: 'a refund',
    prepare: onPayment(captured, (service, id, caller) => service.payments.refundPayment(id, { amount: 300 }, caller)),
    calls: ['POST /v1/refunds R'],
    effects: [
      ['hold 1000', 'capture 1000'],
      ['hold 1000', 'capture 1000', 'refund 300'],
    ],
  },
  {
    name: 'an increment',
    prepare: onPayment(
      (place) => paid(place, 'pm_card_visa', { paymentMethod: { authorizationType: 'ESTIMATED' } }),
      (service, id, caller) => service.payments.adjustAuthorization(id, { amount: 1_500 }, caller),
    ),
    calls: ['POST /v1/payment_intents/{pi}/increment_authorization R'],
    effects: [['hold 1000'], ['hold 1000', 'increase 500']],
  },
  {
    name: 'evidence for a dispute',
    async prepare(place) {
      const { id, disputeId } = await disputed(place);
      const evidence = { text: 'It was delivered.', submit: true };
      return ({ service }, caller) => service.payments.submitEvidence(id, disputeId, evidence, caller);
    },
    calls: ['POST /v1/disputes/{dp} R'],
    effects: [['hold 1000', 'capture 1000']],
  },
  {
    name: 'an accepted dispute',
    async prepare(place) {
      const { id, disputeId } = await disputed(place);
      return ({ service }, caller) => service.payments.acceptDispute(id, disputeId, caller);
    },
    calls: ['POST /v1/disputes/{dp}/close R'],
    effects: [['hold 1000', 'capture 1000']],
  },
  {
    name: 'a confirmation that never came',
    prepare: resolving(/confirm$/, 'none', (place) => authorized(place, 'pm_card_visa')),
    calls: [READ, BURN, READ, 'POST /v1/payment_intents/{pi}/cancel'],
    unproven: [READ, BURN, READ, 'POST /v1/payment_intents/{pi}/cancel', BURN, READ],
    effects: [[]],
  },
  {
    name: 'a confirmation whose answer was lost',
    prepare: resolving(/confirm$/, 'done', (place) => authorized(place, 'pm_card_visa')),
    calls: [READ],
    effects: [['hold 1000']],
  },
  {
    name: 'a capture that never came',
    prepare: resolving(/capture$/, 'none', async (place) =>
      place.service.payments.capturePayment(await paid(place, 'pm_card_visa'), {}, shopCall(place)),
    ),
    calls: [READ, BURN, READ],
    unproven: [READ, BURN, READ, BURN, READ],
    effects: [['hold 1000']],
  },
  {
    name: 'a refund whose answer was lost',
    prepare: resolving(/refunds$/, 'done', async (place) =>
      place.service.payments.refundPayment(await captured(place), { amount: 300 }, shopCall(place)),
    ),
    calls: ['GET /v1/refunds'],
    effects: [['hold 1000', 'capture 1000', 'refund 300']],
  },
];

const environment = (twin: StripeTwin) =>
  secretsOfMachine({ STRIPE_KEY: twin.accounts[0].secretKey, STRIPE_HOOK: WEBHOOK_SECRET });

/** The process whose calls and appends are steps, and the connection of its account. */
async function openPlace(world: MovableWorld, twin: StripeTwin, first: ShopProcess, isProven: boolean): Promise<Place> {
  const stores = await memoryStores(world);
  const { service } = await nodeOn(
    { ...stores, events: first.events(stores) },
    {
      processor: 'none',
      openable: new Map([['stripe', async () => openStripe({ world: liveWorld, openCaller: first.openCaller })]]),
      secretOf: environment(twin),
    },
  );
  const { id: accountId } = done(await service.access.createAccount('Shop'));
  const added = await service.connections.add({
    accountId,
    processor: 'stripe',
    name: 'eu',
    secretKey: 'env:STRIPE_KEY',
    webhookSecret: 'env:STRIPE_HOOK',
    apiUrl: twin.url,
  });
  if (added.kind === 'rejected') throw new Error(added.description);
  if (isProven)
    await transact(service.streams.connections, added.id, operatorContext(world, accountId), recordProof(true));
  const { webhookKeyId = '' } = added.doc;
  return { service, world, stores, twin, account: twin.accounts[0], accountId, connectionId: added.id, webhookKeyId };
}

/** The next process on the same stores. */
async function takeOver({ stores, twin, ...place }: Place) {
  const stripe = openStripe({ world: liveWorld });
  const { service, reported } = await nodeOn(stores, {
    processor: 'none',
    openable: new Map([['stripe', async () => stripe]]),
    secretOf: environment(twin),
    leaps: true,
  });
  return { place: { ...place, stores, twin, service }, reported, close: () => stripe.close() };
}

async function allPayments({ readModels }: Service): Promise<readonly (readonly [string, Payment])[]> {
  const rows = await readModels.find(payments, { where: {}, limit: 100 });
  return rows.map(({ id, doc }) => [id, doc]);
}

const inWords = ({ kind, amount }: Effect): string => `${kind} ${amount}`;

async function expectSettled({ service, twin }: Place, { effects }: Scenario): Promise<void> {
  expect(await hangingWork(service.readModels)).to.deep.equal([]);
  expect(await hangingSessions(service)).to.deep.equal([]);
  expect(twinDifferences(twin.effects(), await allPayments(service))).to.deep.equal([]);
  expect(effects).to.deep.include(twin.effects().map(inWords));
}

/** The work of the process that takes over, and of the merchant who repeats the call under its key. */
async function finish(place: Place, scenario: Scenario, act: Act, retryAtOnce: boolean): Promise<void> {
  const { service, world, stores } = place;
  const again = () => act(place, shopCall(place, 'one key'));
  if (retryAtOnce) {
    const early = await again();
    if (early?.kind === 'rejected') expect(early.errorId).to.equal('IdempotencyKeyInProgress');
  }
  await letFallDue(service, world, LOOK_UPS_MS);
  await expectSettled(place, scenario);
  let answer = await again();
  if (answer?.kind === 'rejected' && answer.errorId === 'Conflict') answer = await again();
  await letFallDue(service, world, LOOK_UPS_MS);
  await expectSettled(place, scenario);
  const repeated = await again();
  if (answer !== undefined && (answer.kind === 'rejected' || answer.status === 200))
    expect({ ...repeated, replayed: true }).to.deep.equal({ ...answer, replayed: true });
  expect(await unlikeRebuilt(service)).to.deep.equal([]);
  expect((await verifyChains(stores.events)).broken).to.deep.equal([]);
}

interface Way {
  /** Undefined: the process does not die. */
  readonly death?: Death;
  readonly isProven: boolean;
  /** The merchant repeats the call before anything falls due. */
  readonly retryAtOnce: boolean;
}

/** The steps until the process died, or all of them. */
async function survives(scenario: Scenario, { death, isProven, retryAtOnce }: Way): Promise<readonly string[]> {
  const world = movableWorld();
  const twin = await openStripeTwin({ now: world.now });
  const first = new ShopProcess();
  try {
    const place = await openPlace(world, twin, first, isProven);
    const act = await scenario.prepare(place);
    first.walk(death);
    const work = act(place, shopCall(place, 'one key'));
    await Promise.race([work, first.died]);
    if (!first.isDead) {
      expect(twin.effects().map(inWords)).to.deep.equal(scenario.effects.at(-1));
      return first.steps;
    }
    const next = await takeOver(place);
    const over = new AbortController();
    try {
      await untilCaughtUp(next.place.service, over.signal);
      await finish(next.place, scenario, act, retryAtOnce);
      if (first.deliverLate !== undefined) {
        world.advance(LATER_MS);
        await first.deliverLate();
        await letFallDue(next.place.service, world, LOOK_UPS_MS);
        await expectSettled(next.place, scenario);
      }
      expect(next.reported).to.deep.equal([]);
    } finally {
      over.abort();
      next.close();
    }
    return first.steps;
  } finally {
    await twin.close();
  }
}

for (const isProven of [true, false])
  describe(`a process that dies between two calls to Stripe, or at an append, ${isProven ? 'with a proven fence' : 'with a fence that nobody has proven'}`, () => {
    for (const scenario of SCENARIOS)
      it(`leaves ${scenario.name} to be settled once, at every step`, async () => {
        const steps = await survives(scenario, { isProven, retryAtOnce: false });
        const calls = steps.flatMap((step) => /^before ((?:GET|POST) .*)/.exec(step)?.[1] ?? []);
        expect(calls).to.deep.equal(isProven ? scenario.calls : (scenario.unproven ?? scenario.calls));
        for (const [index, name] of steps.entries()) {
          const fates = name.startsWith('before POST') ? [false, true] : [false];
          for (const isLate of fates) {
            const way = { isProven, retryAtOnce: index % 4 < 2, death: { step: index + 1, isLate } };
            const walked = await survives(scenario, way).catch((fault: unknown) => {
              const fate = isLate ? ', whose call arrives later' : '';
              throw new Error(`dead ${name}${fate}: ${String(fault)}`, { cause: fault });
            });
            expect(walked.at(-1), 'the same step').to.equal(name);
          }
        }
      });
  });
