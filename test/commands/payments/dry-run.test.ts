// Dry runs: the verdict of the operation itself, and nothing else (contract §4): no append, no call, no key.
import { expect } from 'chai';
import fc from 'fast-check';
import type { Answer, Caller } from '../../../src/commands/caller.ts';
import type { DryRun } from '../../../src/commands/payments/dry-run.ts';
import { claimSession } from '../../../src/domain/client-session/decide.ts';
import type { Rejection } from '../../../src/domain/decider.ts';
import type { Payment } from '../../../src/domain/payment/payment.ts';
import { claimInstrument } from '../../../src/domain/payment-instrument/decide.ts';
import { operatorContext } from '../../../src/journal/contexts.ts';
import { transact } from '../../../src/journal/transact.ts';
import type { Capabilities, Processor } from '../../../src/processors/processor.ts';
import type { Service, ServiceOptions } from '../../../src/service.ts';
import { hookedEvents } from '../../crash/hooked-stores.ts';
import { done } from '../../support/answers.ts';
import { disputedPayment } from '../../support/disputed-payment.ts';
import { CARDS } from '../../support/http-merchant.ts';
import { card, checkout, lookUpDue, merchant, type Stores } from '../../support/node.ts';
import { scripted } from '../../support/scripted-processor.ts';
import { routedShop } from './routed-shop.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const only = (connection: string, then: readonly string[] = []) => ({ use: [{ connection, weight: 1 }], then });

type AuthorizeRequest = Parameters<Service['payments']['dryRunAuthorization']>[0];
/** An operation twice: only tried out, and in earnest. */
interface Twice {
  readonly tryOut: (by: Caller) => Promise<DryRun | Rejection>;
  readonly perform: (by: Caller) => Promise<Answer<Payment>>;
}

/** A shop that counts appends, with those of idempotency keys among them, and calls of its processor. */
async function countedShop({
  capabilities = {},
  prepares = false,
  ...options
}: Partial<ServiceOptions> & { readonly capabilities?: Partial<Capabilities>; readonly prepares?: boolean } = {}) {
  const seen: string[] = [];
  const note = (what: string): undefined => void seen.push(what);
  const through = (stores: Stores): Stores => ({
    ...stores,
    events: hookedEvents(stores.events, { together: true, before: ({ types }) => note(`append ${types.join(' ')}`) }),
  });
  const processorOf = (sandbox: Stores['sandbox']): Processor => {
    const { fence } = sandbox;
    return scripted(sandbox, {
      perform: () => note('perform'),
      lookUp: () => note('lookUp'),
      capabilities: (...args) => ({ ...sandbox.capabilities(...args), ...capabilities }),
      tokenize(...args) {
        note('tokenize');
        return sandbox.tokenize(...args);
      },
      ...(fence !== undefined && {
        fence(...args) {
          note('fence');
          return fence.call(sandbox, ...args);
        },
      }),
      ...(prepares && {
        async prepare() {
          note('prepare');
          return { kind: 'not_sent', detail: 'this processor prepares nothing' };
        },
      }),
    });
  };
  const shop = await routedShop({ through, processorOf, ...options });
  const { service, accountId, world } = shop;
  const by = (key?: string): Caller => merchant(accountId, world, key, 'body');

  const open = async ({ number, ...fields }: { readonly number?: string; readonly amount?: number } & object = {}) => {
    const session = await service.sessions.createClientSession(
      { orderId: 'o-1', currencyCode: 'EUR', amount: 1_000, ...fields },
      by(),
    );
    if (session.kind === 'rejected') throw new Error(session.description);
    const browser = checkout(accountId, session.id, world);
    const token = async () => done(await service.instruments.tokenizeCard(card(number), browser)).id;
    const { clientToken, id: sessionId } = session;
    return { sessionId, token, request: { clientToken, paymentMethodToken: await token() } };
  };
  const authorize = (request: AuthorizeRequest): Twice => ({
    tryOut: (caller) => service.payments.dryRunAuthorization(request, caller),
    perform: (caller) => service.payments.authorizePayment(request, caller),
  });
  const paid = async (number?: string, fields: object = {}): Promise<string> => {
    const { request } = await open({ ...(number !== undefined && { number }), ...fields });
    return done(await service.payments.authorizePayment(request, by())).id;
  };
  const captured = async (number?: string): Promise<string> =>
    done(await service.payments.capturePayment(await paid(number), {}, by())).id;
  const capture = (id: string, body: Parameters<Service['payments']['capturePayment']>[1] = {}): Twice => ({
    tryOut: (caller) => service.payments.dryRunCapture(id, body, caller),
    perform: (caller) => service.payments.capturePayment(id, body, caller),
  });
  const cancel = (id: string): Twice => ({
    tryOut: (caller) => service.payments.dryRunCancellation(id, {}, caller),
    perform: (caller) => service.payments.cancelPayment(id, {}, caller),
  });
  const refund = (id: string, body: Parameters<Service['payments']['refundPayment']>[1] = {}): Twice => ({
    tryOut: (caller) => service.payments.dryRunRefund(id, body, caller),
    perform: (caller) => service.payments.refundPayment(id, body, caller),
  });
  const openCircuit = (connectionId = 'sandbox'): void => {
    const of = { accountId, connectionId };
    for (let call = 0; call < 100; call += 1) service.circuits.ended(of, 'operation', 'unknown');
  };
  /** What was seen while the work ran. */
  const during = async <T>(
    work: () => Promise<T>,
  ): Promise<{ readonly result: T; readonly seen: readonly string[] }> => {
    const from = seen.length;
    return { result: await work(), seen: seen.slice(from) };
  };
  return { ...shop, by, open, authorize, paid, captured, capture, cancel, refund, openCircuit, during };
}
type Counted = Awaited<ReturnType<typeof countedShop>>;

/** The words of a refusal by the service; a processor that declines is past them. */
const refusalIn = (answer: { readonly errorId?: string; readonly description?: string }): string =>
  answer.errorId === undefined || /Declined$/.test(answer.errorId)
    ? 'allowed'
    : `${answer.errorId}: ${answer.description}`;
const verdictOf = (tried: DryRun | Rejection): string => refusalIn('kind' in tried ? tried : (tried.refused ?? {}));
const answerTo = (answer: Answer<Payment>): string => refusalIn(answer.kind === 'rejected' ? answer : {});

/** Each with the error, or `allowed`, and what else a dry run says. */
const SITUATIONS: {
  readonly [what: string]: {
    readonly verdict: string;
    readonly says?: object;
    readonly options?: Parameters<typeof countedShop>[0];
    readonly given: (shop: Counted) => Promise<Twice>;
    /** Scopes of the caller; all without it. */
    readonly scopes?: readonly string[];
  };
} = {
  'a card in a session': {
    verdict: 'allowed',
    says: { operation: 'authorization', amount: 1_000, currencyCode: 'EUR', charged: 0 },
    given: async ({ open, authorize }) => authorize((await open()).request),
  },
  'a card that is charged at once': {
    verdict: 'allowed',
    says: { amount: 1_000, charged: 1_000 },
    given: async ({ open, authorize }) =>
      authorize({ ...(await open()).request, paymentMethod: { captureMode: 'AUTOMATIC' } }),
  },
  'a card without a session': {
    verdict: 'allowed',
    says: { amount: 5, currencyCode: 'GBP' },
    async given({ open, authorize }) {
      const { paymentMethodToken } = (await open()).request;
      return authorize({ paymentMethodToken, orderId: 'o-1', currencyCode: 'GBP', amount: 5 });
    },
  },
  'a processor that prepares': {
    verdict: 'allowed',
    options: { prepares: true },
    given: async ({ open, authorize }) => authorize((await open()).request),
  },
  'a declined card': {
    verdict: 'allowed',
    given: async ({ open, authorize }) => authorize((await open({ number: CARDS.declined })).request),
  },
  'an unknown token': {
    verdict: 'InvalidPaymentInstrumentToken',
    given: async ({ open, authorize }) => authorize({ ...(await open()).request, paymentMethodToken: 'pm_0' }),
  },
  'a used token': {
    verdict: 'InvalidPaymentInstrumentToken',
    async given({ open, authorize, service, by }) {
      const { request } = await open();
      done(await service.payments.authorizePayment(request, by()));
      return authorize({ ...(await open()).request, paymentMethodToken: request.paymentMethodToken });
    },
  },
  'a token of another session of the account': {
    verdict: 'allowed',
    async given({ open, authorize }) {
      const { paymentMethodToken } = (await open()).request;
      return authorize({ ...(await open()).request, paymentMethodToken });
    },
  },
  'an expired token': {
    verdict: 'InvalidPaymentInstrumentToken',
    async given({ open, authorize, world }) {
      const { paymentMethodToken } = (await open()).request;
      world.advance(DAY_MS + HOUR_MS);
      return authorize({ paymentMethodToken, orderId: 'o-1', currencyCode: 'EUR', amount: 5 });
    },
  },
  'a token that a payment which never came has held for hours': {
    verdict: 'allowed',
    async given({ open, authorize, world, accountId, service }) {
      const { request } = await open();
      const at = world.now();
      const claim = { accountId, paymentId: 'pay_lost', at, abandonAfter: at + 1 };
      const context = operatorContext(world, accountId);
      await transact(service.streams.instruments, request.paymentMethodToken, context, claimInstrument(claim));
      world.advance(HOUR_MS);
      return authorize(request);
    },
  },
  'a token that a payment holds which is about to come': {
    verdict: 'InvalidPaymentInstrumentToken',
    async given({ open, authorize, world, accountId, service }) {
      const { request } = await open();
      const at = world.now();
      const claim = { accountId, paymentId: 'pay_soon', at, abandonAfter: at + HOUR_MS };
      const context = operatorContext(world, accountId);
      await transact(service.streams.instruments, request.paymentMethodToken, context, claimInstrument(claim));
      return authorize(request);
    },
  },
  'a session that a payment which never came has held for hours': {
    verdict: 'allowed',
    async given({ open, authorize, world, accountId, service }) {
      const { request, sessionId } = await open();
      const at = world.now();
      const claim = { paymentId: 'pay_lost', at, abandonAfter: at + 1 };
      await transact(service.streams.sessions, sessionId, operatorContext(world, accountId), claimSession(claim));
      world.advance(HOUR_MS);
      return authorize(request);
    },
  },
  'a session that is paid': {
    verdict: 'ClientSessionCompleted',
    async given({ open, authorize, service, by }) {
      const { request, token } = await open();
      const second = await token();
      done(await service.payments.authorizePayment(request, by()));
      return authorize({ ...request, paymentMethodToken: second });
    },
  },
  'a session whose payment was declined': {
    verdict: 'allowed',
    async given({ open, authorize, service, by }) {
      const { request, token } = await open({ number: CARDS.declined });
      const second = await token();
      done(await service.payments.authorizePayment(request, by()));
      return authorize({ ...request, paymentMethodToken: second });
    },
  },
  'a forged client token': {
    verdict: 'ClientSessionValidationError',
    given: async ({ open, authorize }) => authorize({ ...(await open()).request, clientToken: 'a.b.c' }),
  },
  'an expired client token': {
    verdict: 'ClientSessionValidationError',
    async given({ open, authorize, world }) {
      const { request } = await open();
      world.advance(DAY_MS + HOUR_MS);
      return authorize(request);
    },
  },
  'terms that are incomplete': {
    verdict: 'RequestValidationError',
    async given({ open, authorize }) {
      const { paymentMethodToken } = (await open()).request;
      return authorize({ paymentMethodToken, currencyCode: 'EUR' });
    },
  },
  'a key that may not capture': {
    verdict: 'InsufficientScope',
    scopes: ['transactions:authorize'],
    given: async ({ open, authorize }) =>
      authorize({ ...(await open()).request, paymentMethod: { captureMode: 'AUTOMATIC' } }),
  },
  'a card that was declined too often': {
    verdict: 'TooManyRequests',
    options: { cardTestingLimits: true },
    async given({ paid, open, authorize }) {
      for (let declines = 0; declines < 10; declines += 1) await paid(CARDS.declined);
      return authorize((await open({ number: CARDS.declined })).request);
    },
  },
  'an open circuit': {
    verdict: 'ServiceUnavailable',
    async given({ open, authorize, openCircuit }) {
      const { request } = await open();
      openCircuit();
      return authorize(request);
    },
  },
  'rules that choose a second connection, with a fallback': {
    verdict: 'allowed',
    async given({ connect, set, open, authorize }) {
      await connect('second');
      await set({ rules: [], default: only('second', ['sandbox']), fallbackOn: ['SOFT'], never: [] });
      return authorize((await open()).request);
    },
  },
  'rules whose connection is disabled': {
    verdict: 'OperationNotSupported',
    async given({ connect, set, open, authorize, service }) {
      const second = await connect('second');
      await set({ rules: [], default: only('second') });
      const { request } = await open();
      done(await service.connections.disable(second));
      await service.connections.known.look();
      return authorize(request);
    },
  },
  'rules whose connection does not respond': {
    verdict: 'ServiceUnavailable',
    async given({ connect, set, open, authorize, openCircuit }) {
      const second = await connect('second');
      await set({ rules: [], default: only('second') });
      const { request } = await open();
      openCircuit(second);
      return authorize(request);
    },
  },
  'a capture of all': {
    verdict: 'allowed',
    says: { operation: 'capture', amount: 1_000, charged: 1_000, currencyCode: 'EUR' },
    given: async ({ paid, capture }) => capture(await paid()),
  },
  'a capture of a part': {
    verdict: 'allowed',
    says: { amount: 400, charged: 400 },
    given: async ({ paid, capture }) => capture(await paid(), { amount: 400, final: false }),
  },
  'a capture of more than is held': {
    verdict: 'UnprocessableCaptureAmount',
    says: { amount: 1_001 },
    given: async ({ paid, capture }) => capture(await paid(), { amount: 1_001 }),
  },
  'a second capture': {
    verdict: 'InvalidPaymentStatus',
    given: async ({ captured, capture }) => capture(await captured()),
  },
  'a capture while another is pending': {
    verdict: 'PaymentOperationInProgress',
    says: { unknownAttempts: true },
    given: async ({ captured, capture }) => capture(await captured(CARDS.captureLater)),
  },
  'a capture with too much metadata': {
    verdict: 'RequestValidationError',
    async given({ paid, capture }) {
      const long = 'x'.repeat(10_000);
      return capture(await paid(undefined, { metadata: { one: long } }), { metadata: { other: long } });
    },
  },
  'a part where the processor captures all or nothing': {
    verdict: 'OperationNotSupported',
    options: { capabilities: { partialCapture: false } },
    given: async ({ paid, capture }) => capture(await paid(), { amount: 400 }),
  },
  'a capture while the circuit is open': {
    verdict: 'ServiceUnavailable',
    async given({ paid, capture, openCircuit }) {
      const id = await paid();
      openCircuit();
      return capture(id);
    },
  },
  'a capture by a connection that is disabled': {
    verdict: 'allowed',
    async given({ connect, set, paid, capture, service }) {
      const second = await connect('second');
      await set({ rules: [], default: only('second') });
      const id = await paid();
      done(await service.connections.disable(second));
      await service.connections.known.look();
      return capture(id);
    },
  },
  'a cancellation': {
    verdict: 'allowed',
    says: { operation: 'cancellation', amount: 1_000 },
    given: async ({ paid, cancel }) => cancel(await paid()),
  },
  'a cancellation of a pending payment': {
    verdict: 'allowed',
    says: { unknownAttempts: true },
    given: async ({ paid, cancel }) => cancel(await paid(CARDS.pendingForEver)),
  },
  'a cancellation of a captured payment': {
    verdict: 'InvalidPaymentStatus',
    given: async ({ captured, cancel }) => cancel(await captured()),
  },
  'a refund of all': {
    verdict: 'allowed',
    says: { operation: 'refund', amount: 1_000 },
    given: async ({ captured, refund }) => refund(await captured()),
  },
  'a refund of more than was captured': {
    verdict: 'UnprocessableRefundAmount',
    given: async ({ captured, refund }) => refund(await captured(), { amount: 1_001 }),
  },
  'a refund before the capture': {
    verdict: 'InvalidPaymentStatus',
    given: async ({ paid, refund }) => refund(await paid()),
  },
  'a refund of what is refunded': {
    verdict: 'PaymentAlreadyRefunded',
    async given({ captured, refund, service, by }) {
      const id = await captured();
      done(await service.payments.refundPayment(id, {}, by()));
      return refund(id);
    },
  },
  'a refund of no capture': {
    verdict: 'RequestValidationError',
    given: async ({ captured, refund }) => refund(await captured(), { transactionEventId: 'evt_0' }),
  },
  'a refund of a disputed payment': {
    verdict: 'PaymentDisputed',
    given: async ({ service, world, accountId, refund }) =>
      refund((await disputedPayment(service, world, accountId)).id),
  },
  'a payment of another account': {
    verdict: 'NotFound',
    async given({ captured, refund }) {
      const { tryOut, perform } = refund(await captured());
      const other = (caller: Caller): Caller => ({ ...caller, accountId: 'acc_other' });
      return { tryOut: (caller) => tryOut(other(caller)), perform: (caller) => perform(other(caller)) };
    },
  },
};

describe('a dry run', () => {
  for (const [what, { verdict, says, options, given, scopes }] of Object.entries(SITUATIONS))
    it(`of ${what} answers as the operation does, and leaves nothing: ${verdict}`, async () => {
      const shop = await countedShop(options);
      const { tryOut, perform } = await given(shop);
      const caller = (): Caller => ({ ...shop.by('key'), ...(scopes !== undefined && { scopes: new Set(scopes) }) });
      const tried = await shop.during(() => tryOut(caller()));
      expect(tried.seen).to.deep.equal([]);
      expect(verdictOf(tried.result).split(':')[0]).to.equal(verdict);
      if (says !== undefined) expect(tried.result).to.include(says);
      expect(verdictOf(await tryOut(caller()))).to.equal(verdictOf(tried.result));
      // the key is as new
      const performed = await shop.during(() => perform(caller()));
      expect(answerTo(performed.result)).to.equal(verdictOf(tried.result));
      expect(performed.result.kind === 'completed' && performed.result.replayed === true).to.equal(false);
      if (verdict === 'allowed') expect(performed.seen).to.include('append IdempotencyClaimed');
    });

  it('of a payment under a key that is held is decided, and not answered from the key', async () => {
    const { paid, capture, by } = await countedShop();
    const { tryOut, perform } = capture(await paid());
    done(await perform(by('key')));
    expect(verdictOf(await tryOut(by('key')))).to.match(/^InvalidPaymentStatus: /);
    expect(await perform(by('key'))).to.include({ kind: 'completed', replayed: true });
  });

  it('asks nobody about an earlier attempt, says so, and the operation may answer otherwise', async () => {
    const { paid, capture, by, during, sandbox, accountId } = await countedShop();
    const id = await paid();
    const lost = { phase: 'during_reply', fault: 'reset', times: 1 };
    await sandbox.setFaults(accountId, { rules: [{ match: { operation: 'capture' }, do: lost }] });
    const { tryOut, perform } = capture(id);
    expect(await perform(by())).to.include({ kind: 'completed', status: 202 });
    const { result, seen } = await during(() => tryOut(by()));
    expect(seen).to.deep.equal([]);
    expect(result).to.include({ unknownAttempts: true }).and.nested.include({
      'refused.errorId': 'PaymentOperationInProgress',
    });
    expect(answerTo(await perform(by()))).to.match(/^InvalidPaymentStatus: /);
  });

  it('takes no try of an open circuit', async () => {
    const { paid, capture, by, openCircuit, world, accountId, service } = await countedShop();
    const { tryOut } = capture(await paid());
    openCircuit();
    world.pass(service.circuits.limits.openMs);
    for (const _ of ['first', 'second']) expect(verdictOf(await tryOut(by()))).to.equal('allowed');
    expect(service.circuits.admit({ accountId, connectionId: 'sandbox' })).to.equal(undefined);
    expect(verdictOf(await tryOut(by()))).to.match(/^ServiceUnavailable: /);
  });

  it('names the connection with the reason, and the connections after it', async () => {
    const { connect, set, open, authorize, by } = await countedShop();
    const without = await authorize((await open()).request).tryOut(by());
    expect(without).to.deep.include({
      connection: {
        id: 'sandbox',
        name: 'sandbox',
        processor: 'sandbox',
        because: 'The account has no rules of routing, and the token is good at this connection.',
      },
    });
    const second = await connect('second');
    await set({ rules: [], default: only('second', ['sandbox']), fallbackOn: ['SOFT'], never: [] });
    const routed = await authorize((await open()).request).tryOut(by());
    expect(routed).to.deep.include({
      connection: {
        id: second,
        name: 'second',
        processor: 'sandbox',
        because: 'The rule "default" of version 1 chose second.',
      },
      fallbacks: [{ id: 'sandbox', name: 'sandbox', processor: 'sandbox' }],
    });
    const use = ['second', 'sandbox'].map((connection) => ({ connection, weight: 1 }));
    await set({ rules: [], default: { use, then: [] } });
    expect(await authorize((await open()).request).tryOut(by()))
      .to.have.nested.property('connection.because')
      .that.matches(/ Each payment is drawn by weight\.$/);
  });

  describe('of a session', () => {
    const tried = ({ service, accountId }: Counted, sessionId: string, offered: 'PAYMENT_CARD' | 'IDEAL') =>
      service.payments.dryRunSession({ accountId, sessionId, offered });

    it('answers by its rules, before anything is entered', async () => {
      const shop = await countedShop();
      const { sessionId } = await shop.open();
      const { result, seen } = await shop.during(() => tried(shop, sessionId, 'PAYMENT_CARD'));
      expect(seen).to.deep.equal([]);
      expect(result).to.include({ operation: 'authorization', amount: 1_000 }).and.nested.include({
        'connection.name': 'sandbox',
      });
      const second = await shop.connect('second');
      await shop.set({ rules: [], default: only('second') });
      expect(await tried(shop, sessionId, 'PAYMENT_CARD')).to.nested.include({ 'connection.id': second });
      shop.openCircuit(second);
      const refused = verdictOf(await tried(shop, sessionId, 'PAYMENT_CARD'));
      expect(refused).to.match(/^ServiceUnavailable: .*second does not respond/);
    });

    it('is refused as a payment of it', async () => {
      const shop = await countedShop();
      const { sessionId, request } = await shop.open();
      expect(verdictOf(await tried(shop, sessionId, 'IDEAL'))).to.match(/^RequestValidationError: /);
      done(await shop.service.payments.authorizePayment(request, shop.by()));
      expect(verdictOf(await tried(shop, sessionId, 'PAYMENT_CARD'))).to.match(/^ClientSessionCompleted: /);
      expect(verdictOf(await tried(shop, 'cs_0', 'PAYMENT_CARD'))).to.match(/^NotFound: /);
    });
  });

  const amount = fc.option(fc.integer({ min: 1, max: 1_200 }), { nil: undefined });
  const step = fc.oneof(
    fc.record({ do: fc.constant('capture' as const), amount, final: fc.boolean() }),
    fc.record({ do: fc.constant('refund' as const), amount }),
    fc.record({ do: fc.constant('cancel' as const) }),
    fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(6_000, HOUR_MS, 8 * DAY_MS) }),
  );
  const cards = [
    CARDS.approved,
    CARDS.captureLater,
    CARDS.secondCaptureDeclined,
    CARDS.refundDeclined,
    CARDS.refundLater,
    CARDS.declined,
    CARDS.pendingForEver,
  ];

  it('of any payment, whatever was done to it, answers as the operation does next', () =>
    fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...cards),
        fc.array(step, { minLength: 1, maxLength: 8 }),
        async (number, steps) => {
          const shop = await countedShop();
          const id = await shop.paid(number);
          for (const one of steps) {
            if (one.do === 'wait') {
              shop.world.advance(one.ms);
              await lookUpDue(shop);
              continue;
            }
            const sent = 'amount' in one && one.amount !== undefined ? { amount: one.amount } : {};
            const twice =
              one.do === 'cancel'
                ? shop.cancel(id)
                : one.do === 'refund'
                  ? shop.refund(id, sent)
                  : shop.capture(id, { ...sent, final: one.final });
            const tried = await shop.during(() => twice.tryOut(shop.by()));
            expect(tried.seen).to.deep.equal([]);
            const answer = answerTo(await twice.perform(shop.by()));
            const mayDiffer = 'unknownAttempts' in tried.result && tried.result.unknownAttempts === true;
            if (!mayDiffer) expect(answer).to.equal(verdictOf(tried.result));
          }
        },
      ),
      { numRuns: 60 },
    ));
});
