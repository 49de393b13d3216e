// Routing over connections: the rules of the account choose, and what is skipped is on record.
import { expect } from 'chai';
import { Admittance, Circuits } from '../../../src/commands/limits/circuits.ts';
import { routePayment } from '../../../src/commands/payments/route-payment.ts';
import { whyWords } from '../../../src/domain/payment/event-words.ts';
import { isKnown } from '../../../src/domain/payment/queries.ts';
import type { PaymentTerms } from '../../../src/domain/payment/terms.ts';
import { cardIn } from '../../../src/domain/payment-instrument/recorded-data.ts';
import { type TokenAt, tokensOf, type UsableInstrument } from '../../../src/domain/payment-instrument/state.ts';
import type { SkipReason } from '../../../src/domain/routing/recorded-rules.ts';
import { RoutingRules } from '../../../src/domain/routing/routing-rules.ts';
import type { AuthorizationRequest, Capabilities, Processor } from '../../../src/processors/processor.ts';
import { StoreKey } from '../../../src/secrets.ts';
import type { Service } from '../../../src/service.ts';
import { calmWorld } from '../../support/calm-world.ts';
import { appendedBy } from '../../support/http-appended.ts';
import { card, checkout, merchant, nodeOn, type Stores } from '../../support/node.ts';
import { routedShop, type Terms } from './routed-shop.ts';

const only = (connection: string, then: readonly string[] = []) => ({ use: [{ connection, weight: 1 }], then });
const NO_TOKEN = {
  rules: [{ match: { operation: 'tokenization' }, do: { phase: 'before_send', fault: 'reset' } }],
};
/** A soft decline of the sandbox. */
const SOFTLY_DECLINED = '4000000000000119';
const HANGS = { match: { operation: 'authorization' }, do: { phase: 'before_effect', fault: '503' } };

const DEBIT = {
  method: { type: 'SEPA_DEBIT', iban: 'DE89370400440532013000', accountHolderName: 'Ada', mandateAccepted: true },
} as const;

/** What an adapter is not capable of, and payments that it takes, or does not take with these terms. */
const UNSUPPORTED: readonly {
  readonly because: SkipReason;
  readonly limits: Partial<Capabilities>;
  readonly terms?: Terms;
  readonly taken: Terms;
}[] = [
  {
    because: 'method_not_supported',
    limits: { methods: ['APPLE_PAY'] },
    taken: { given: DEBIT, captureMode: 'AUTOMATIC' },
  },
  {
    because: 'currency_not_supported',
    limits: { currencies: ['EUR', 'GBP'] },
    terms: { currencyCode: 'USD' },
    taken: { currencyCode: 'GBP' },
  },
  {
    because: 'separate_capture_not_supported',
    limits: { separateCapture: false },
    terms: { captureMode: 'MANUAL' },
    taken: { captureMode: 'AUTOMATIC' },
  },
  {
    because: 'not_supported',
    limits: { adjustment: 'none' },
    terms: { authorizationType: 'ESTIMATED' },
    taken: { authorizationType: 'FINAL' },
  },
  {
    because: 'not_supported',
    limits: { stepOf: (currencyCode) => (currencyCode === 'EUR' ? 7 : 1) },
    terms: { currencyCode: 'EUR' },
    taken: { currencyCode: 'GBP' },
  },
];

/** A card that the fields of a connection made, under rules that choose another one; everything that a route needs. */
function ofFields() {
  const named = (name: string) => ({ name, connectionId: `con_${name}`, processor: 'fields' });
  const routing = {
    version: 1,
    rules: RoutingRules.parse({ rules: [], default: only('b') }),
    connections: [named('a'), named('b')],
    setAt: 0,
  };
  const circuits = new Circuits({
    implied: [],
    limits: { windowMs: 60_000, minCalls: 1, failedShare: 0.5, openMs: 30_000 },
    world: calmWorld,
    report: () => undefined,
  });
  const none = async (): Promise<never> => {
    throw new Error('nothing is called');
  };
  const processor: Processor = {
    name: 'fields',
    consistencyWindowMs: 0,
    takesCards: false,
    capabilities: () => ({ partialCapture: true, multipleCaptures: true, adjustment: 'any' }),
    tokenize: none,
    perform: none,
    lookUp: none,
    notifications: () => [],
    reread: () => [],
  };
  const instrument: UsableInstrument = {
    status: 'tokenized',
    accountId: 'acc_1',
    processor: 'fields',
    connectionId: 'con_a',
    processorToken: 'one',
    paymentMethodType: 'PAYMENT_CARD',
    paymentMethodData: { network: 'VISA', last4Digits: '4242', expirationMonth: '12', expirationYear: '2039' },
    fingerprint: 'f',
    createdAt: 0,
    expiresAt: 1,
  };
  const terms: PaymentTerms = {
    orderId: 'o-1',
    currencyCode: 'EUR',
    amount: 1_000,
    paymentMethod: { vaultOnSuccess: false, captureMode: 'MANUAL', authorizationType: 'FINAL' },
  };
  const connections = { routingOf: () => routing, isActive: () => true, nameOf: (id: string) => id };
  return { accountId: 'acc_1', connections, circuits, processors: new Map([['fields', processor]]), instrument, terms };
}

/** What `/why` says of the choice. */
async function wordsOf(service: Service, accountId: string, id: string): Promise<string> {
  const why = await service.queries.readPaymentWhy(id, accountId, -1, 10);
  if ('kind' in why) throw new Error(why.description);
  for (const step of why.steps)
    if (step.kind === 'payment' && step.one.event.type === 'RouteChosen')
      return whyWords(step.one.event, undefined, '', String);
  return '';
}

describe('routing', () => {
  it('sends a payment to the connection that the first matching rule names', async () => {
    const { connect, set, paid, sandbox } = await routedShop();
    const second = await connect('second');
    const rules = {
      rules: [
        { name: 'dollars', when: { currencyCode: ['USD'] }, use: [{ connection: 'sandbox', weight: 1 }] },
        { name: 'euro', when: { currencyCode: ['EUR'] }, use: [{ connection: 'second', weight: 1 }] },
      ],
      default: { use: [{ connection: 'sandbox', weight: 1 }] },
    };
    expect((await set(rules)).kind).to.equal('completed');
    const { status, connectionId, route, id } = await paid();
    expect({ status, connectionId }).to.deep.equal({ status: 'AUTHORIZED', connectionId: second });
    expect(route).to.include({ version: 1, rule: 'euro', connectionId: second });
    expect((await sandbox.ledgerOf(second, 10)).lines.map(({ paymentId }) => paymentId)).to.deep.equal([id]);
  });

  const limited = (limits: Partial<Capabilities>) => ({
    processorOf: (sandbox: Stores['sandbox']): Processor => ({
      ...sandbox,
      capabilities: (connection) => ({
        ...sandbox.capabilities(connection),
        ...(connection.connectionId.startsWith('con_') && limits),
      }),
    }),
  });

  for (const { because, limits, terms = {}, taken } of UNSUPPORTED)
    it(`skips a connection whose adapter cannot do what the payment asks for: ${because} ${Object.keys(limits).join()}`, async () => {
      const { connect, set, paid, service, accountId, sandbox } = await routedShop(limited(limits));
      const second = await connect('second');
      await set({ rules: [], default: only('second', ['sandbox']), fallbackOn: ['NOT_SENT', 'SOFT'] });
      const skipped = await paid({ ...taken, ...terms });
      expect(skipped.connectionId).to.equal('sandbox');
      expect(skipped.route?.skipped).to.deep.equal([{ connectionId: second, connectionName: 'second', because }]);
      expect((await sandbox.ledgerOf(second, 10)).lines).to.deep.equal([]);
      const words = await wordsOf(service, accountId, skipped.id);
      expect(words).to.contain('version 1 chose sandbox. second was skipped: it ').and.not.to.contain(second);
      if (because !== 'method_not_supported') {
        const { connectionId, route } = await paid(taken);
        expect({ connectionId, skipped: route?.skipped }).to.deep.equal({ connectionId: second, skipped: [] });
      }
    });

  it('offers a method where another connection takes the amount, and nowhere else', async () => {
    const { connect, set, service, accountId, token } = await routedShop(limited({ stepOf: () => 7 }));
    await connect('second');
    const { sessionId } = await token();
    const offeredFor = (amount: number) =>
      service.payments.routeOffer({
        sessionId,
        accountId,
        fields: { currencyCode: 'EUR', amount },
        offered: 'PAYMENT_CARD',
      });
    await set({ rules: [], default: only('second') });
    expect([offeredFor(1_000), offeredFor(1_001)]).to.deep.equal([undefined, 'typed']);
    await set({ rules: [], default: only('second', ['sandbox']) });
    expect(offeredFor(1_000)).to.equal('typed');
  });

  it('does not fall back on a connection whose adapter cannot take the payment', async () => {
    const { accountId, connect, set, pay, sandbox } = await routedShop(limited({ currencies: ['USD'] }));
    const second = await connect('second');
    await set({ rules: [], default: only('sandbox', ['second']), fallbackOn: ['NOT_SENT'] });
    const rules = [{ match: { operation: 'authorization' }, do: { phase: 'before_send', fault: 'reset' } }];
    await sandbox.setFaults(accountId, { rules });
    const answer = await pay();
    expect(answer).to.include({ kind: 'completed' });
    expect((await sandbox.ledgerOf(second, 10)).lines).to.deep.equal([]);
  });

  it('refuses with 422 where no adapter can take the payment, even if a circuit is open', async () => {
    const circuit = { windowMs: 60_000, minCalls: 1, failedShare: 0.5, openMs: 30_000 };
    const { connect, set, pay, sandbox } = await routedShop({ ...limited({ currencies: ['EUR'] }), circuit });
    const second = await connect('second');
    await set({ rules: [], default: only('second') });
    await sandbox.setFaults(second, { rules: [HANGS] });
    await pay();
    expect(await pay({ currencyCode: 'USD' })).to.include({ kind: 'rejected', errorId: 'OperationNotSupported' });
  });

  it('tries rules on past payments by what the adapters can do, and says which cannot be taken', async () => {
    const { connect, set, paid, service, accountId } = await routedShop(limited({ currencies: ['USD'] }));
    await connect('second');
    await set({ rules: [], default: only('sandbox') });
    for (const currencyCode of ['EUR', 'USD', 'EUR']) await paid({ currencyCode });
    const tryRules = async (sent: object) => {
      const read = await service.routing.read(accountId, sent);
      if (read.kind === 'wrong') throw new Error(read.problems.join());
      return service.queries.tryRouting(accountId, read, { since: 0, most: 10 });
    };
    const [tried] = (await tryRules({ rules: [], default: only('second', ['sandbox']) })).rules;
    expect(tried).to.deep.include({
      payments: 3,
      elsewhere: 1,
      refused: 0,
      skipped: [{ connection: 'second', because: 'currency_not_supported', payments: 2 }],
    });
    expect((await tryRules({ rules: [], default: only('second') })).rules[0]).to.deep.include({
      refused: 2,
      elsewhere: 1,
      connections: [{ connection: 'second', payments: 1 }],
    });
  });

  it('goes back to where the token is good when the rules are removed, and counts the versions on', async () => {
    const { connect, set, paid, service, accountId } = await routedShop();
    const second = await connect('second');
    await set({ rules: [], default: only('second') });
    const first = await paid();
    expect(await set(null)).to.include({ kind: 'completed' });
    const { connectionId, route } = await paid();
    expect({ connectionId, route }).to.deep.equal({ connectionId: 'sandbox', route: undefined });
    expect(await service.payments.capturePayment(first.id, {}, merchant(accountId))).to.include({ kind: 'completed' });
    await set({ rules: [], default: only('second') });
    expect((await paid()).route).to.include({ version: 3, connectionId: second, connectionName: 'second' });
    const versions = await service.queries.routingVersions(accountId);
    expect(versions.map(({ version, rules }) => [version, rules === null])).to.deep.equal([
      [3, false],
      [2, true],
      [1, false],
    ]);
  });

  it('routes other methods than cards as well', async () => {
    const { connect, set, paid } = await routedShop();
    const second = await connect('second');
    await set({
      rules: [{ name: 'debits', when: { methodType: ['SEPA_DEBIT'] }, ...only('second') }],
      default: only('sandbox'),
    });
    const debit = { given: DEBIT, captureMode: 'AUTOMATIC' } as const;
    expect((await paid(debit)).route).to.include({ rule: 'debits', connectionId: second });
    expect((await paid()).route).to.include({ rule: 'default', connectionId: 'sandbox' });
  });

  it('changes nothing for an account without rules, whose card has a token at each sandbox', async () => {
    const { connect, paid, sandbox } = await routedShop();
    const second = await connect('second');
    const { connectionId, route, paymentMethod } = await paid();
    expect({ connectionId, route }).to.deep.equal({ connectionId: 'sandbox', route: undefined });
    expect(paymentMethod.paymentMethodToken).to.match(/^pm_/);
    expect((await sandbox.ledgerOf(second, 10)).lines).to.deep.equal([]);
  });

  it('skips a connection that is disabled, and says so on the payment', async () => {
    const { connect, set, paid, service } = await routedShop();
    const second = await connect('second');
    await set({ rules: [], default: only('second', ['sandbox']) });
    await service.connections.disable(second);
    const { connectionId, route } = await paid();
    expect(connectionId).to.equal('sandbox');
    expect(route?.skipped).to.deep.equal([{ connectionId: second, connectionName: 'second', because: 'disabled' }]);
  });

  it('skips a connection whose circuit is open', async () => {
    const circuit = { windowMs: 60_000, minCalls: 2, failedShare: 0.5, openMs: 30_000 };
    const { connect, set, paid, token, sandbox, service, accountId, world } = await routedShop({ circuit });
    const second = await connect('second');
    await set({ rules: [], default: only('second', ['sandbox']) });
    await sandbox.setFaults(second, { rules: [HANGS] });
    const { sessionId, paymentMethodToken } = await token();
    await paid();
    await paid();
    const by = checkout(accountId, sessionId, world);
    const answer = await service.payments.authorizeCheckoutPayment({ paymentMethodToken }, by);
    const payment = answer.kind === 'completed' && isKnown(answer.doc) ? answer.doc : undefined;
    expect(payment?.connectionId).to.equal('sandbox');
    expect(payment?.route?.skipped).to.deep.equal([
      { connectionId: second, connectionName: 'second', because: 'circuit_open' },
    ]);
  });

  it('skips a connection that has no token of the card, which a fault at its tokenization has cost', async () => {
    const { connect, set, paid, sandbox } = await routedShop();
    const second = await connect('second');
    await set({ rules: [], default: only('second', ['sandbox']) });
    await sandbox.setFaults(second, NO_TOKEN);
    const { connectionId, route } = await paid();
    expect(connectionId).to.equal('sandbox');
    expect(route?.skipped).to.deep.equal([{ connectionId: second, connectionName: 'second', because: 'no_token' }]);
  });

  it('goes on with the second connection when the first one makes no token', async () => {
    const { accountId, connect, set, paid, sandbox } = await routedShop();
    const second = await connect('second');
    await set({ rules: [], default: only('sandbox', ['second']) });
    await sandbox.setFaults(accountId, NO_TOKEN);
    expect((await paid()).connectionId).to.equal(second);
  });

  it('makes nothing at a further sandbox for an account without rules, whose first sandbox makes no token', async () => {
    const { accountId, connect, tokenize, sandbox, events } = await routedShop();
    await connect('second');
    await sandbox.setFaults(accountId, NO_TOKEN);
    const { answer, types } = await appendedBy(events, async () => (await tokenize()).instrument);
    expect(answer).to.include({ kind: 'rejected', errorId: 'ServiceUnavailable' });
    expect(types).not.to.include('paymentInstrument InstrumentTokenized');
  });

  for (const isRouted of [true, false])
    it(`tries an open circuit with the card that was let through, ${isRouted ? 'with' : 'without'} rules`, async () => {
      const circuit = { windowMs: 60_000, minCalls: 1, failedShare: 0.5, openMs: 30_000 };
      const { accountId, connect, set, tokenize, sandbox, world } = await routedShop({ circuit });
      const second = await connect('second');
      if (isRouted) await set({ rules: [], default: only('sandbox', ['second']) });
      await sandbox.setFaults(accountId, NO_TOKEN);
      await tokenize();
      world.pass(10_000);
      await sandbox.setFaults(accountId, { rules: [] });
      await sandbox.setFaults(second, NO_TOKEN);
      await tokenize();
      expect((await tokenize()).instrument).to.include({ kind: 'rejected', errorId: 'ServiceUnavailable' });
      await sandbox.setFaults(second, { rules: [] });
      world.pass(20_000);
      expect((await tokenize()).instrument.kind).to.equal('completed');
    });

  it('knows a bank account again, whichever sandbox has made its token', async () => {
    const { accountId, connect, set, token, sandbox, service, world } = await routedShop();
    const second = await connect('second');
    await set({ rules: [], default: only('sandbox', ['second']) });
    const debit = { given: DEBIT, captureMode: 'AUTOMATIC' } as const;
    const { paymentMethodToken: one } = await token(debit);
    await sandbox.setFaults(accountId, NO_TOKEN);
    const { paymentMethodToken: other } = await token(debit);
    const { state } = await service.streams.instruments.current(other);
    expect(state).to.include({ connectionId: second });
    const vault = (paymentMethodToken: string) =>
      service.instruments.vaultInstrument(paymentMethodToken, { customerId: 'c-1' }, merchant(accountId, world));
    expect(await vault(one)).to.include({ id: one });
    expect(await vault(other)).to.include({ id: one });
  });

  describe('a saved card that is entered again', () => {
    const until = (expirationYear: string) => ({ given: { card: { ...card().card, expirationYear } } });
    const shopWithSaved = async (fault: 'first' | 'second' | undefined) => {
      const sent: AuthorizationRequest[] = [];
      const processorOf = (sandbox: Stores['sandbox']): Processor => ({
        ...sandbox,
        perform: (request, call) => {
          if (request.operation === 'authorization') sent.push(request);
          return sandbox.perform(request, call);
        },
      });
      const shop = await routedShop({ processorOf });
      const { accountId, connect, set, token, sandbox, service, world } = shop;
      const second = await connect('second');
      await set({ rules: [], default: only('second', ['sandbox']) });
      const save = async (expirationYear: string) => {
        const { paymentMethodToken } = await token(until(expirationYear));
        const by = merchant(accountId, world);
        const vaulted = await service.instruments.vaultInstrument(paymentMethodToken, { customerId: 'c-1' }, by);
        if (vaulted.kind === 'rejected') throw new Error(vaulted.description);
        const { state } = await service.streams.instruments.current(paymentMethodToken);
        return { id: vaulted.id, tokens: state.status === 'absent' ? [] : tokensOf(state) };
      };
      const book = fault === 'first' ? accountId : second;
      if (fault !== undefined) await sandbox.setFaults(book, NO_TOKEN);
      const { id, tokens } = await save('2030');
      await sandbox.setFaults(book, { rules: [] });
      const charge = async () => {
        const fields = { paymentMethodToken: id, orderId: 'o-1', currencyCode: 'EUR', amount: 5 };
        const paid = await service.payments.authorizePayment(fields, merchant(accountId, world));
        if (paid.kind === 'rejected' || !isKnown(paid.doc)) throw new Error(paid.kind);
        const { connectionId, paymentMethod } = paid.doc;
        const shows = cardIn(paymentMethod.paymentMethodData)?.expirationYear;
        return { connectionId, shows, sends: sent.at(-1)?.processorToken };
      };
      const tokenIn = (all: readonly TokenAt[], connectionId: string) =>
        all.find((one) => one.connectionId === connectionId)?.processorToken;
      return { ...shop, second, id, tokens, save, charge, tokenIn };
    };

    it('with a newer expiry pays with its new token at each connection', async () => {
      const { second, set, save, charge, tokenIn } = await shopWithSaved(undefined);
      const { tokens } = await save('2039');
      expect(await charge()).to.deep.equal({ connectionId: second, shows: '2039', sends: tokenIn(tokens, second) });
      await set({ rules: [], default: only('sandbox') });
      const there = { connectionId: 'sandbox', shows: '2039', sends: tokenIn(tokens, 'sandbox') };
      expect(await charge()).to.deep.equal(there);
    });

    it('with an older expiry keeps its tokens', async () => {
      const { second, tokens, save, charge, tokenIn } = await shopWithSaved(undefined);
      await save('2029');
      expect(await charge()).to.deep.equal({ connectionId: second, shows: '2030', sends: tokenIn(tokens, second) });
    });

    for (const year of ['2030', '2039'])
      it(`has the token that it lacked at the second connection, with the expiry ${year}`, async () => {
        const { second, save, charge, tokenIn } = await shopWithSaved('second');
        expect((await charge()).connectionId).to.equal('sandbox');
        const { tokens } = await save(year);
        expect(await charge()).to.deep.equal({ connectionId: second, shows: year, sends: tokenIn(tokens, second) });
      });

    it('has its newer expiry at the connection that alone made a token at first, and a token at the other', async () => {
      const { second, id, set, save, charge, tokenIn } = await shopWithSaved('first');
      const { id: same, tokens } = await save('2039');
      expect(same).to.equal(id);
      expect(await charge()).to.deep.equal({ connectionId: second, shows: '2039', sends: tokenIn(tokens, second) });
      await set({ rules: [], default: only('sandbox') });
      const there = { connectionId: 'sandbox', shows: '2039', sends: tokenIn(tokens, 'sandbox') };
      expect(await charge()).to.deep.equal(there);
    });
  });

  it('refuses before anything is written where all are skipped: 422, or 503 where one only does not respond', async () => {
    const circuit = { windowMs: 60_000, minCalls: 1, failedShare: 0.5, openMs: 30_000 };
    const { connect, set, token, pay, service, sandbox, accountId, world } = await routedShop({ circuit });
    const second = await connect('second');
    await set({ rules: [], default: only('second') });
    await sandbox.setFaults(second, { rules: [HANGS] });
    const kept = await token();
    await pay();
    const again = () =>
      service.payments.authorizeCheckoutPayment(
        { paymentMethodToken: kept.paymentMethodToken },
        checkout(accountId, kept.sessionId, world),
      );
    expect(await again()).to.include({ kind: 'rejected', errorId: 'ServiceUnavailable' });
    await service.connections.disable(second);
    expect(await again()).to.include({ kind: 'rejected', errorId: 'OperationNotSupported' });
    const { state } = await service.streams.sessions.current(kept.sessionId);
    expect('payment' in state ? state.payment : undefined).to.equal(undefined);
  });

  it('lets one payment try a connection that may respond again, and refuses the others before anything is written', async () => {
    const circuit = { windowMs: 60_000, minCalls: 1, failedShare: 0.5, openMs: 30_000 };
    const { connect, set, token, pay, service, sandbox, accountId, world } = await routedShop({ circuit });
    const second = await connect('second');
    await set({ rules: [], default: only('second') });
    await sandbox.setFaults(second, { rules: [HANGS] });
    const kept = [await token(), await token(), await token(), await token()];
    await pay();
    world.pass(30_000);
    const answers = await Promise.all(
      kept.map(({ sessionId, paymentMethodToken }) =>
        service.payments.authorizeCheckoutPayment({ paymentMethodToken }, checkout(accountId, sessionId, world)),
      ),
    );
    const refused = kept.filter((_, place) => answers[place]?.kind === 'rejected');
    expect(answers.flatMap((one) => ('errorId' in one ? [one.errorId] : []))).to.deep.equal(
      Array.from({ length: 3 }, () => 'ServiceUnavailable'),
    );
    for (const { sessionId } of refused) {
      const types: string[] = [];
      for await (const { event } of service.streams.sessions.history(sessionId, -1)) types.push(event.type);
      expect(types).to.deep.equal(['ClientSessionCreated']);
    }
  });

  it('asks a second connection that may respond again once, and takes the refusal for the other payments', async () => {
    const circuit = { windowMs: 60_000, minCalls: 1, failedShare: 0.5, openMs: 30_000 };
    const { connect, set, pay, sandbox, world } = await routedShop({ circuit });
    const second = await connect('second');
    await set({ rules: [], default: only('sandbox', ['second']), fallbackOn: ['SOFT'], never: [] });
    await sandbox.setFaults(second, { rules: [HANGS] });
    const statusOf = async (): Promise<string> => {
      const answer = await pay({ number: SOFTLY_DECLINED });
      return answer.kind !== 'rejected' && isKnown(answer.doc) ? answer.doc.status : answer.kind;
    };
    expect(await statusOf()).to.equal('PENDING'); // nobody knows, and the circuit opens
    expect(await statusOf()).to.equal('DECLINED');
    world.pass(30_000);
    const statuses = await Promise.all(Array.from({ length: 5 }, statusOf));
    expect(statuses.toSorted()).to.deep.equal(['DECLINED', 'DECLINED', 'DECLINED', 'DECLINED', 'PENDING']);
  });

  it('is refused with 503 where a card of fields is good at a connection alone that does not respond', async () => {
    const { accountId, connections, circuits, processors, instrument, terms } = ofFields();
    const asked = { accountId, terms, instrument, isAbsent: false };
    const needs = { connections, circuits, processors, storeKey: new StoreKey(Buffer.alloc(32, 5)) };
    const route = () => routePayment(needs, { ...asked, admitted: new Admittance(circuits) });
    expect(route()).to.have.nested.property('token.connectionId', 'con_a');
    circuits.ended({ accountId, connectionId: 'con_a' }, 'operation', 'unknown');
    expect(route()).to.include({ kind: 'rejected', errorId: 'ServiceUnavailable' });
  });

  it('refuses a code that no refusal has, which would guard nothing', async () => {
    const { set } = await routedShop();
    expect(await set({ rules: [], default: only('sandbox'), never: ['SUSPECTED_FRUD'] })).to.have.nested.property(
      'violations[0].description',
      'No refusal has the code SUSPECTED_FRUD.',
    );
  });

  it('keeps the version that chose, when rules are set while a payment runs', async () => {
    const { connect, set, paid } = await routedShop();
    await connect('second');
    await set({ rules: [], default: only('sandbox') });
    const first = await paid();
    await set({ rules: [], default: only('second') });
    expect([first.route?.version, (await paid()).route?.version]).to.deep.equal([1, 2]);
  });

  it('knows whose notification came by the path of a connection that another process has just added', async () => {
    const shop = await routedShop();
    const other = await nodeOn(shop, {});
    const second = await shop.connect('second');
    const [added] = await shop.service.connections.list({ accountId: shop.accountId });
    const { known } = other.service.connections;
    expect(known.activeOf(shop.accountId)).to.deep.equal([]); // it has not looked since
    expect(await known.calledBy(shop.accountId, 'sandbox', added?.doc.webhookKeyId)).to.include({
      connectionId: second,
    });
    expect(await known.calledBy(shop.accountId, 'sandbox', 'key_other')).to.include({ connectionId: 'sandbox' });
  });

  it('captures, looks up and refunds where the authorization went', async () => {
    const { connect, set, paid, service, sandbox, accountId, world } = await routedShop();
    const second = await connect('second');
    await set({ rules: [], default: only('second') });
    const { id } = await paid();
    await service.payments.capturePayment(id, {}, merchant(accountId, world));
    await service.payments.refundPayment(id, {}, merchant(accountId, world));
    expect((await sandbox.ledgerOf(second, 10)).lines.map(({ operation }) => operation)).to.deep.equal([
      'authorization',
      'capture',
      'refund',
    ]);
  });
});
