// An idempotency key remembers the effect of its operation, and only that: the first answer again, whatever happened
// since (contract §6).

import { expect } from 'chai';
import { dueAtOf } from '../../src/domain/payment/attempt.ts';
import { paymentInstrumentAnswer } from '../../src/http/answers/payment-instrument.ts';
import type { Processor } from '../../src/processors/processor.ts';
import { Gate, hookedEvents } from '../crash/hooked-stores.ts';
import { done, known } from '../support/answers.ts';
import {
  card,
  checkout,
  lookUpDue,
  memoryStores,
  merchant,
  nodeOn,
  type Stores,
  type TestNode,
} from '../support/node.ts';
import { scripted } from '../support/scripted-processor.ts';
import { type MovableWorld, movableWorld } from '../support/test-world.ts';

const ACCOUNT = 'acc_1';
const timings = { sendWithinMs: 1_000, answerWithinMs: 40, abandonAfterMs: 60_000 };

describe('an idempotency key', () => {
  let world: MovableWorld;
  let stores: Stores;
  let node: TestNode;
  beforeEach(async () => {
    world = movableWorld();
    stores = await memoryStores(world);
    node = await nodeOn(stores, { timings });
  });

  const caller = (key?: string) => merchant(ACCOUNT, world, key, 'the same body');
  const session = async (fields = {}) => {
    const made = await node.service.sessions.createClientSession(
      { orderId: 'o-1', currencyCode: 'EUR', amount: 1_000, ...fields },
      caller(),
    );
    if (made.kind === 'rejected') throw new Error(made.errorId);
    return made;
  };
  const token = async (sessionId: string, number?: string, year?: string) => {
    const { card: details } = card(number);
    const asked = { card: { ...details, ...(year !== undefined && { expirationYear: year }) } };
    return done(await node.service.instruments.tokenizeCard(asked, checkout(ACCOUNT, sessionId, world))).id;
  };
  const begin = async (number?: string, fields = {}) => {
    const { id, clientToken } = await session(fields);
    return { clientToken, paymentMethodToken: await token(id, number), sessionId: id };
  };
  const vaulted = async (customerId: string, number: string, key?: string) => {
    const { paymentMethodToken } = await begin(number);
    return {
      token: paymentMethodToken,
      answer: done(await node.service.instruments.vaultInstrument(paymentMethodToken, { customerId }, caller(key))),
    };
  };
  type Viewed = Awaited<ReturnType<typeof vaulted>>['answer'];
  const shown = ({ id, doc, revision }: Viewed) => ({ ...paymentInstrumentAnswer(id, doc, world.now()), revision });

  it('does not take the settlement of another attempt for the operation that it stands for', async () => {
    const { paymentMethodToken, clientToken } = await begin('4000009900001044'); // authorized, and its answer lost
    const { id } = done(await node.service.payments.authorizePayment({ clientToken, paymentMethodToken }, caller()));
    world.advance(31_000);
    const captured = done(await node.service.payments.capturePayment(id, {}, caller('capture')));
    expect(known(captured.doc).attempts.map(({ operation }) => operation)).to.deep.equal(['authorization', 'capture']);
  });

  it('does not take the end of another payment for the patch that it stands for', async () => {
    const { clientToken, paymentMethodToken, sessionId } = await begin();
    const { append } = node.service.streams.payments;
    node.service.streams.payments.append = () => Promise.reject(new Error('the process died here'));
    node.service.streams.payments.appendAll = async () => 'conflict'; // the claims are made, and the payment is not
    await node.service.payments.authorizePayment({ clientToken, paymentMethodToken }, caller()).catch(() => undefined);
    node.service.streams.payments.append = append;
    world.advance(61_000);
    const patched = await node.service.sessions.patchClientSession({ clientToken, orderId: 'o-2' }, caller('patch'));
    expect(patched).to.nested.include({ kind: 'completed', 'doc.fields.orderId': 'o-2' });
    expect((await node.service.streams.sessions.current(sessionId)).state).to.nested.include({
      'fields.orderId': 'o-2',
    });
    const again = await node.service.sessions.patchClientSession({ clientToken, orderId: 'o-2' }, caller('patch'));
    expect(again).to.nested.include({ replayed: true, 'doc.fields.orderId': 'o-2' });
  });

  it('starts again after its payment was abandoned before it was created', async () => {
    const { clientToken, paymentMethodToken } = await begin();
    const pay = () => node.service.payments.authorizePayment({ clientToken, paymentMethodToken }, caller('pay'));
    const { append } = node.service.streams.payments;
    node.service.streams.payments.append = () => Promise.reject(new Error('the process died here'));
    node.service.streams.payments.appendAll = async () => 'conflict'; // the claims are made, and the payment is not
    await pay().catch(() => undefined);
    node.service.streams.payments.append = append;
    world.advance(61_000);
    expect(await node.service.sessions.patchClientSession({ clientToken, orderId: 'o-2' }, caller())).to.include({
      kind: 'completed',
    });
    expect(await pay()).to.include({ kind: 'rejected', errorId: 'Conflict' });
    const paid = done(await pay());
    expect(known(paid.doc)).to.include({ status: 'AUTHORIZED', orderId: 'o-2' });
    expect(done(await pay())).to.include({ id: paid.id, replayed: true });
  });

  it('finds the effect that another node has under it after the first caller was refused and let it go', async () => {
    const gates = { otherCapture: new Gate(), release: new Gate(), capture: new Gate(), reclaim: new Gate() };
    const slow = scripted(stores.sandbox, {
      perform: async (request, call) => {
        await gates.otherCapture.pass();
        return stores.sandbox.perform(request, call);
      },
    });
    const patient = { ...timings, answerWithinMs: 5_000 };
    const first = await nodeOn(
      {
        ...stores,
        events: hookedEvents(stores.events, {
          before: ({ types }) => (types.includes('IdempotencyReleased') ? gates.release.pass() : undefined),
        }),
      },
      { timings: patient, processor: slow },
    );
    const second = await nodeOn(
      {
        ...stores,
        events: hookedEvents(stores.events, {
          before({ types }) {
            if (types.includes('CaptureRequested')) return gates.capture.pass();
            return types.includes('IdempotencyClaimed') ? gates.reclaim.pass() : undefined;
          },
        }),
      },
      { timings: patient },
    );
    const { clientToken, paymentMethodToken } = await begin();
    const { id } = done(await node.service.payments.authorizePayment({ clientToken, paymentMethodToken }, caller()));
    const capture = ({ service }: TestNode) =>
      service.payments.capturePayment(id, { amount: 100, final: false }, caller('capture'));

    const before = first.service.payments.capturePayment(id, { amount: 500, final: false }, caller());
    await gates.otherCapture.reached;
    const refused = capture(first); // claims the key, meets the other capture
    await gates.release.reached;
    gates.otherCapture.open();
    done(await before);
    const carriedOn = capture(second); // reads the claim, and goes on under it
    await gates.capture.reached;
    gates.release.open();
    expect(await refused).to.include({ kind: 'rejected', errorId: 'PaymentOperationInProgress' });
    gates.capture.open();
    await gates.reclaim.reached;
    const again = done(await capture(node)); // the key is free, and its effect is there
    gates.reclaim.open();
    expect(again).to.deep.include({ replayed: true, revision: done(await carriedOn).revision });
    expect(known((await node.service.streams.payments.current(id)).state).amountCaptured).to.equal(600);
  });

  it('never gives a session back that another node has paid under it, although the token is used up by then', async () => {
    const fields = { customerId: 'c-1', paymentMethod: { vaultOnSuccess: true } };
    const known1 = await begin(undefined, fields);
    // the customer has the card: a second token merges into it
    done(await node.service.payments.authorizePayment(known1, caller()));
    const { sessionId, ...asked } = await begin(undefined, fields);
    const gates = { claim: new Gate(), token: new Gate() };
    const first = await nodeOn({
      ...stores,
      events: hookedEvents(stores.events, {
        before: ({ types }) => (types.includes('ClientSessionClaimed') ? gates.claim.pass() : undefined),
      }),
    });
    const second = await nodeOn({
      ...stores,
      events: hookedEvents(stores.events, {
        reading: (stream) =>
          stream === `paymentInstrument-${asked.paymentMethodToken}` ? gates.token.pass() : undefined,
      }),
    });
    const pay = ({ service }: TestNode) => service.payments.authorizePayment(asked, caller('pay'));
    const paid = pay(first);
    await gates.claim.reached;
    const late = pay(second);
    await gates.token.reached;
    gates.claim.open();
    const { id, revision } = done(await paid);
    expect((await node.service.streams.instruments.current(asked.paymentMethodToken)).state.status).to.equal('merged');
    gates.token.open();
    expect(done(await late)).to.include({ id, revision });
    expect((await node.service.streams.sessions.current(sessionId)).state).to.nested.include({
      'payment.paymentId': id,
    });
  });

  it('answers a payment that vaulted its card the same both times', async () => {
    const { clientToken, paymentMethodToken } = await begin(undefined, {
      customerId: 'c-1',
      paymentMethod: { vaultOnSuccess: true },
    });
    const first = done(
      await node.service.payments.authorizePayment({ clientToken, paymentMethodToken }, caller('pay')),
    );
    expect(known(first.doc).paymentMethod).to.include({ isVaulted: true });
    const again = done(
      await node.service.payments.authorizePayment({ clientToken, paymentMethodToken }, caller('pay')),
    );
    expect(again).to.deep.include({ replayed: true, doc: first.doc, revision: first.revision });
  });

  it('answers a payment that vaulted its card the same to a repetition that met it before it was authorized', async () => {
    const gate = new Gate();
    const perform: Processor['perform'] = async (request, call) => {
      await gate.pass();
      return stores.sandbox.perform(request, call);
    };
    const first = await nodeOn(stores, { processor: scripted(stores.sandbox, { perform }) });
    const fields = { customerId: 'c-1', paymentMethod: { vaultOnSuccess: true, captureMode: 'AUTOMATIC' } };
    const { clientToken, paymentMethodToken } = await begin(undefined, fields);
    const pay = ({ service }: TestNode) =>
      service.payments.authorizePayment({ clientToken, paymentMethodToken }, caller('pay'));
    const paid = pay(first);
    await gate.reached;
    const { payments } = node.service.streams;
    const { current } = payments;
    payments.current = async (id) => {
      gate.open();
      await paid;
      return current.call(payments, id);
    };
    const again = done(await pay(node));
    const { doc, revision } = done(await paid);
    expect(known(doc)).to.nested.include({ status: 'SETTLED', 'paymentMethod.isVaulted': true });
    expect(again).to.deep.include({ replayed: true, doc, revision });
  });

  it('returns a session that has changed since as it was at its creation', async () => {
    const fields = { orderId: 'o-1', currencyCode: 'EUR' as const, amount: 1_000 };
    const first = await node.service.sessions.createClientSession(fields, caller('make'));
    if (first.kind === 'rejected') throw new Error(first.errorId);
    await node.service.sessions.patchClientSession({ clientToken: first.clientToken, amount: 5 }, caller());
    const again = await node.service.sessions.createClientSession(fields, caller('make'));
    expect(again).to.deep.equal({ ...first, replayed: true });
  });

  it('returns a session that has changed since as it was at its creation, including to a caller who created it at the same time on another node', async () => {
    const gate = new Gate();
    const events = hookedEvents(stores.events, {
      before: ({ types }) => (types.includes('ClientSessionCreated') ? gate.pass() : undefined),
    });
    const slow = await nodeOn({ ...stores, events }, { timings });
    const fields = { orderId: 'o-1', currencyCode: 'EUR' as const, amount: 1_000 };
    const late = slow.service.sessions.createClientSession(fields, caller('make'));
    await gate.reached;
    const first = await node.service.sessions.createClientSession(fields, caller('make'));
    if (first.kind === 'rejected') throw new Error(first.errorId);
    await node.service.sessions.patchClientSession({ clientToken: first.clientToken, amount: 5 }, caller());
    gate.open();
    expect(await late).to.deep.equal(first);
  });

  it('is in use while its first call runs: by the same request for 409, by another one for 422', async () => {
    const gate = new Gate();
    const perform: Processor['perform'] = async (request, call) => {
      await gate.pass();
      return stores.sandbox.perform(request, call);
    };
    const busy = await nodeOn(stores, { processor: scripted(stores.sandbox, { perform }) });
    const { clientToken, paymentMethodToken } = await begin();
    const pay = (request: string) =>
      busy.service.payments.authorizePayment(
        { clientToken, paymentMethodToken },
        merchant(ACCOUNT, world, 'pay', request),
      );
    const first = pay('one body');
    await gate.reached;
    expect(await pay('one body')).to.include({
      kind: 'rejected',
      errorId: 'IdempotencyKeyInProgress',
      retryAfterSeconds: 2,
    });
    expect(await pay('another body')).to.include({ kind: 'rejected', errorId: 'IdempotencyKeyReused' });
    gate.open();
    expect(known(done(await first).doc)).to.include({ status: 'AUTHORIZED' });
  });

  it('makes an instrument the default once, even if another one is the default by then', async () => {
    const [first, second] = [await vaulted('c-1', '4242424242424242'), await vaulted('c-1', '5555555555554444')];
    const made = done(await node.service.instruments.makeInstrumentDefault(second.token, caller('default')));
    expect(shown(made)).to.include({ default: true });
    done(await node.service.instruments.makeInstrumentDefault(first.token, caller()));
    const again = done(await node.service.instruments.makeInstrumentDefault(second.token, caller('default')));
    expect(again.replayed).to.equal(true);
    expect(shown(again)).to.deep.equal(shown(made));
    expect(await node.service.queries.readWallet(ACCOUNT, 'c-1')).to.include({ defaultToken: first.token });
  });

  it('vaults an instrument once, even if it was deleted since', async () => {
    const { token: one, answer } = await vaulted('c-1', '4242424242424242', 'vault');
    const deleted = done(await node.service.instruments.deletePaymentInstrument(one, caller('delete')));
    const again = done(await node.service.instruments.vaultInstrument(one, { customerId: 'c-1' }, caller('vault')));
    expect(again.replayed).to.equal(true);
    expect(shown(again)).to.deep.equal(shown(answer));
    const deletedAgain = done(await node.service.instruments.deletePaymentInstrument(one, caller('delete')));
    expect(deletedAgain.replayed).to.equal(true);
    expect(shown(deletedAgain)).to.deep.equal(shown(deleted));
  });

  it('answers the instrument that a second token of the same card became part of', async () => {
    const first = await vaulted('c-1', '4242424242424242');
    const { token: second, answer } = await vaulted('c-1', '4242424242424242', 'vault');
    expect(answer.id).to.equal(first.token);
    await vaulted('c-1', '5555555555554444');
    const again = done(await node.service.instruments.vaultInstrument(second, { customerId: 'c-1' }, caller('vault')));
    expect(again.replayed).to.equal(true);
    expect(shown(again)).to.deep.equal(shown(answer));
  });
});

describe('the work of another node', () => {
  let stores: Stores;
  let node: TestNode;
  let other: TestNode;
  beforeEach(async () => {
    stores = await memoryStores();
    node = await nodeOn(stores);
    other = await nodeOn(stores);
  });
  const session = async (fields = {}) => {
    const made = await node.service.sessions.createClientSession(
      { orderId: 'o-1', currencyCode: 'EUR', amount: 1_000, ...fields },
      merchant(ACCOUNT),
    );
    if (made.kind === 'rejected') throw new Error(made.errorId);
    return made;
  };

  it('counts for the scope that automatic capture needs', async () => {
    const { id, clientToken } = await session();
    const paymentMethodToken = done(await other.service.instruments.tokenizeCard(card(), checkout(ACCOUNT, id))).id;
    // so that it knows the session
    await other.service.sessions.patchClientSession({ clientToken, orderId: 'o-2' }, merchant(ACCOUNT));
    await node.service.sessions.patchClientSession(
      { clientToken, paymentMethod: { captureMode: 'AUTOMATIC' } },
      merchant(ACCOUNT),
    );
    const weak = { ...merchant(ACCOUNT), scopes: new Set(['transactions:authorize']) };
    const refused = await other.service.payments.authorizePayment({ clientToken, paymentMethodToken }, weak);
    expect(refused).to.include({ kind: 'rejected', errorId: 'InsufficientScope' });
    const patched = await other.service.sessions.patchClientSession({ clientToken, orderId: 'o-3' }, merchant(ACCOUNT));
    expect(patched.kind).to.equal('completed');
  });

  it('counts for the card that a vaulted instrument pays with', async () => {
    const tokenOf = async (year: string) => {
      const { id } = await session();
      const asked = { card: { ...card().card, expirationYear: year } };
      return done(await node.service.instruments.tokenizeCard(asked, checkout(ACCOUNT, id))).id;
    };
    const token = await tokenOf('2035');
    done(await node.service.instruments.vaultInstrument(token, { customerId: 'c-1' }, merchant(ACCOUNT)));
    const pay = async () => {
      const asked = { paymentMethodToken: token, orderId: 'o-1', currencyCode: 'EUR' as const, amount: 5 };
      return known(done(await other.service.payments.authorizePayment(asked, merchant(ACCOUNT))).doc);
    };
    await pay(); // so that it knows the wallet
    done(
      await node.service.instruments.vaultInstrument(await tokenOf('2039'), { customerId: 'c-1' }, merchant(ACCOUNT)),
    );
    expect((await pay()).paymentMethod.paymentMethodData).to.include({ expirationYear: '2039' });
  });

  it('does not keep a fresh client token from a session whose payment is over', async () => {
    const { id, clientToken } = await session();
    const { streams } = node.service;
    const paymentMethodToken = done(
      await node.service.instruments.tokenizeCard(card('4000000000000002'), checkout(ACCOUNT, id)),
    ).id;
    const { append } = streams.sessions;
    const declined = node.service.payments.authorizePayment({ clientToken, paymentMethodToken }, merchant(ACCOUNT));
    streams.sessions.append = (...args) =>
      args[2].some(({ type }) => type === 'ClientSessionReleased')
        ? Promise.reject(new Error('died here'))
        : append.apply(streams.sessions, args);
    expect(known(done(await declined).doc).status).to.equal('DECLINED');
    streams.sessions.append = append;
    expect((await streams.sessions.current(id)).state).to.have.property('payment');
    const issued = await other.service.sessions.issueClientToken(
      { clientToken },
      merchant(ACCOUNT, undefined, 'fresh', ''),
    );
    expect(issued).to.have.property('clientToken');
    expect((await streams.sessions.current(id)).state).not.to.have.property('payment');
  });
});

describe('vaulting that meets a deletion', () => {
  let node: TestNode;
  let other: TestNode;
  beforeEach(async () => {
    const stores = await memoryStores();
    [node, other] = [await nodeOn(stores), await nodeOn(stores)];
  });
  const token = async () => {
    const made = await node.service.sessions.createClientSession(
      { orderId: 'o-1', currencyCode: 'EUR', amount: 1_000 },
      merchant(ACCOUNT),
    );
    if (made.kind === 'rejected') throw new Error(made.errorId);
    return done(await node.service.instruments.tokenizeCard(card(), checkout(ACCOUNT, made.id))).id;
  };
  const vault = (one: string) =>
    node.service.instruments.vaultInstrument(one, { customerId: 'c-1' }, merchant(ACCOUNT));
  const listed = async () => {
    const wallet = await node.service.queries.readWallet(ACCOUNT, 'c-1');
    return wallet?.status === 'open'
      ? wallet.instruments.filter(({ deletedAt }) => deletedAt === undefined).map((one) => one.token)
      : [];
  };

  it('leaves the wallet without the card when the token was deleted on its way there', async () => {
    const one = await token();
    const { wallets } = node.service.streams;
    const { append } = wallets;
    wallets.append = async (...args) => {
      wallets.append = append;
      done(await other.service.instruments.deletePaymentInstrument(one, merchant(ACCOUNT)));
      return append.apply(wallets, args);
    };
    expect(await vault(one)).to.include({ kind: 'rejected', errorId: 'InvalidPaymentInstrumentToken' });
    expect(await listed()).to.deep.equal([]);
  });

  it('does not make a card part of one whose deletion a crash cut short', async () => {
    const [one, two] = [await token(), await token()];
    done(await vault(one));
    const { wallets } = node.service.streams;
    const { append } = wallets;
    wallets.append = () => Promise.reject(new Error('the process died here'));
    await node.service.instruments.deletePaymentInstrument(one, merchant(ACCOUNT)).catch(() => undefined);
    wallets.append = append;
    expect(done(await vault(two)).id).to.equal(two);
    expect(await listed()).to.deep.equal([two]);
  });

  it('finishes a deletion that a crash cut short when it is asked for again', async () => {
    const one = await token();
    done(await vault(one));
    const { wallets } = node.service.streams;
    const { append } = wallets;
    const caller = () => merchant(ACCOUNT, undefined, 'delete', '');
    wallets.append = () => Promise.reject(new Error('the process died here'));
    await node.service.instruments.deletePaymentInstrument(one, caller()).catch(() => undefined);
    wallets.append = append;
    done(await node.service.instruments.deletePaymentInstrument(one, caller()));
    expect(await listed()).to.deep.equal([]);
  });

  it('takes a used-up token for the instrument that it became part of, as long as there is one', async () => {
    const [one, two] = [await token(), await token()];
    done(await vault(one));
    expect(done(await vault(two)).id).to.equal(one);
    expect(done(await vault(two)).id).to.equal(one);
    done(await node.service.instruments.deletePaymentInstrument(one, merchant(ACCOUNT)));
    expect(await vault(two)).to.include({ kind: 'rejected', errorId: 'InvalidPaymentInstrumentToken' });
    expect(await listed()).to.deep.equal([]);
  });
});

describe('a look-up', () => {
  it('that two nodes make at the same time, or a caller before its time, does not put the next one off', async () => {
    const world = movableWorld();
    const stores = await memoryStores(world);
    const lost = scripted(stores.sandbox, {
      perform: async () => ({ kind: 'unknown', detail: 'reset' }),
      lookUp: async () => ({ kind: 'not_found' }),
    });
    const [one, two] = [
      await nodeOn(stores, { timings, processor: lost }),
      await nodeOn(stores, { timings, processor: lost }),
    ];
    const caller = () => merchant(ACCOUNT, world);
    const made = await one.service.sessions.createClientSession(
      { orderId: 'o-1', currencyCode: 'EUR', amount: 1_000 },
      caller(),
    );
    if (made.kind === 'rejected') throw new Error(made.errorId);
    const paymentMethodToken = done(
      await one.service.instruments.tokenizeCard(card(), checkout(ACCOUNT, made.id, world)),
    ).id;
    const { id } = done(
      await one.service.payments.authorizePayment({ clientToken: made.clientToken, paymentMethodToken }, caller()),
    );
    world.advance(31_000);
    await Promise.all([one, two].map(lookUpDue));
    for (let call = 0; call < 3; call += 1) await one.service.payments.capturePayment(id, {}, caller());
    const [attempt] = known((await two.service.streams.payments.current(id)).state).attempts;
    expect(attempt?.lookUps).to.equal(1);
    expect(((attempt && dueAtOf(attempt)) ?? 0) - (attempt?.requestedAt ?? 0)).to.equal(300_000);
  });
});
