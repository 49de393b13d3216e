// Outcomes that are unknown at first: 202, no guessing, and the processor's report resolves them; claims that a crash
// left behind.
import { expect } from 'chai';
import type { Outcome } from '../../src/domain/payment/outcome.ts';
import { causeOf } from '../../src/domain/payment/totals.ts';
import type { Processor } from '../../src/processors/processor.ts';
import type { World } from '../../src/world.ts';
import { hookedEvents } from '../crash/hooked-stores.ts';
import { done, known } from '../support/answers.ts';
import { callOf } from '../support/call-of.ts';
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
import { wholeLedger } from '../support/whole-ledger.ts';

const ACCOUNT = 'acc_1';
const timings = { sendWithinMs: 1_000, answerWithinMs: 40, abandonAfterMs: 60_000 };

describe('an unknown outcome', () => {
  let world: MovableWorld;
  let stores: Stores;
  beforeEach(async () => {
    world = movableWorld();
    stores = await memoryStores(world);
  });
  const open = (processor?: Processor): Promise<TestNode> =>
    nodeOn(stores, { timings, ...(processor !== undefined && { processor }) });
  const begin = async (node: TestNode, number?: string) => {
    const made = await node.service.sessions.createClientSession(
      { orderId: 'o-1', currencyCode: 'EUR', amount: 1_000 },
      merchant(ACCOUNT, world),
    );
    if (made.kind === 'rejected') throw new Error(made.errorId);
    const paymentMethodToken = done(
      await node.service.instruments.tokenizeCard(card(number), checkout(ACCOUNT, made.id, world)),
    ).id;
    return { clientToken: made.clientToken, paymentMethodToken };
  };
  const resolve = lookUpDue;
  const current = async (node: TestNode, id: string) => known((await node.service.streams.payments.current(id)).state);

  it('answers 202, and the look-up settles it when the money moved', async () => {
    const node = await open();
    const answer = done(
      await node.service.payments.authorizePayment(await begin(node, '4000009900001044'), merchant(ACCOUNT, world)),
    );
    expect(answer.status).to.equal(202);
    expect(known(answer.doc)).to.deep.include({ status: 'PENDING' });
    expect(known(answer.doc).statusReason).to.include({ because: 'unknown' });
    expect(await resolve(node)).to.equal(0);
    world.advance(31_000);
    expect(await resolve(node)).to.equal(1);
    expect(await current(node, answer.id)).to.include({ status: 'AUTHORIZED', amountAuthorized: 1_000 });
    expect(await resolve(node)).to.equal(0);
  });

  it('leaves the id of its request on the events of its look-up, and on its follow-ups', async () => {
    const node = await open();
    const asked = { ...merchant(ACCOUNT, world), requestId: 'asked-by-1' };
    const terms = { ...(await begin(node, '4000009900001044')), paymentMethod: { captureMode: 'AUTOMATIC' as const } };
    const { id } = done(await node.service.payments.authorizePayment(terms, asked));
    world.advance(31_000);
    await resolve(node);
    const told = new Map<string, string>();
    for await (const { event, metadata } of node.service.streams.payments.history(id, -1))
      told.set(event.type, metadata.$correlationId);
    for (const type of ['AuthorizationRequested', 'PaymentAuthorized', 'CaptureRequested'])
      expect(told.get(type), type).to.equal('asked-by-1');
  });

  it('is looked up by two nodes at once, and that is on record once', async () => {
    let asked = 0;
    let bothAsked = (): void => undefined;
    const both = new Promise<void>((resolve) => {
      bothAsked = resolve;
    });
    const lookUp = async () => {
      asked += 1;
      if (asked === 2) bothAsked();
      await both;
      return { kind: 'unknown', detail: 'away' } as const;
    };
    const [one, other] = [
      await open(scripted(stores.sandbox, { lookUp })),
      await open(scripted(stores.sandbox, { lookUp })),
    ];
    const { id } = done(
      await one.service.payments.authorizePayment(await begin(one, '4000009900001044'), merchant(ACCOUNT, world)),
    );
    world.advance(31_000);
    await Promise.all([resolve(one), resolve(other)]);
    const types: string[] = [];
    for await (const { event } of one.service.streams.payments.history(id, -1)) types.push(event.type);
    expect([asked, types.filter((type) => type === 'LookUpRecorded').length]).to.deep.equal([2, 1]);
  });

  it('believes "not found" only after the consistency window', async () => {
    const node = await open(scripted(stores.sandbox, { perform: async () => ({ kind: 'unknown', detail: 'reset' }) }));
    const { id } = done(await node.service.payments.authorizePayment(await begin(node), merchant(ACCOUNT, world)));
    world.advance(31_000);
    await resolve(node);
    expect(await current(node, id)).to.include({ status: 'PENDING' });
    world.advance(270_000);
    await resolve(node);
    expect(await current(node, id)).to.include({ status: 'FAILED' });
  });

  it('is looked up before the next operation, which then goes on', async () => {
    const node = await open();
    const { id } = done(
      await node.service.payments.authorizePayment(await begin(node, '4000009900001044'), merchant(ACCOUNT, world)),
    );
    expect(await current(node, id)).to.include({ status: 'PENDING' });
    const captured = done(await node.service.payments.capturePayment(id, {}, merchant(ACCOUNT, world)));
    expect(known(captured.doc)).to.include({ amountAuthorized: 1_000 });
  });

  it('keeps the next operation waiting while the processor cannot tell', async () => {
    const node = await open(scripted(stores.sandbox, { perform: async () => ({ kind: 'unknown', detail: 'reset' }) }));
    const { id } = done(await node.service.payments.authorizePayment(await begin(node), merchant(ACCOUNT, world)));
    const early = await node.service.payments.capturePayment(id, {}, merchant(ACCOUNT, world));
    expect(early).to.include({ kind: 'rejected', errorId: 'PaymentOperationInProgress' });
  });

  it('is carried to its end after a crash between the request and the answer', async () => {
    let crash = true;
    const dying = await open(
      scripted(stores.sandbox, {
        perform: (request) =>
          crash
            ? stores.sandbox.perform(request, callOf()).then(() => new Promise<Outcome>(() => undefined))
            : undefined,
      }),
    );
    const asked = await begin(dying);
    const answer = done(await dying.service.payments.authorizePayment(asked, merchant(ACCOUNT, world)));
    crash = false;
    const restarted = await open();
    world.advance(31_000);
    await resolve(restarted);
    expect(await current(restarted, answer.id)).to.include({ status: 'AUTHORIZED' });
    expect((await wholeLedger(stores.sandbox)).filter(({ operation }) => operation === 'authorization')).to.have.length(
      1,
    );
  });

  it('frees a session and a token whose payment was never made, once the claim is old enough', async () => {
    const dying = await nodeOn({ ...stores, events: hookedEvents(stores.events, {}) }, { timings });
    const asked = await begin(dying);
    const { streams } = dying.service;
    const { append } = streams.payments;
    streams.payments.append = () => Promise.reject(new Error('the process died here'));
    await dying.service.payments.authorizePayment(asked, merchant(ACCOUNT, world)).then(
      () => expect.fail('it should have died'),
      () => undefined,
    );
    streams.payments.append = append;
    const next = await open();
    const early = await next.service.payments.authorizePayment(asked, merchant(ACCOUNT, world));
    expect(early).to.include({ kind: 'rejected', errorId: 'ClientSessionCompleted' });
    world.advance(61_000);
    const patched = await next.service.sessions.patchClientSession(
      { clientToken: asked.clientToken, orderId: 'o-2' },
      merchant(ACCOUNT, world),
    );
    expect(patched.kind).to.equal('completed');
    const paid = done(await next.service.payments.authorizePayment(asked, merchant(ACCOUNT, world)));
    expect(known(paid.doc)).to.include({ status: 'AUTHORIZED', orderId: 'o-2' });
  });

  it('is what a call comes to whose adapter fails, and the look-up settles the attempt', async () => {
    const node = await open(
      scripted(stores.sandbox, {
        perform: async (request, call) => {
          await stores.sandbox.perform(request, call);
          throw new TypeError('a defect');
        },
      }),
    );
    const { id, status } = done(
      await node.service.payments.authorizePayment(await begin(node), merchant(ACCOUNT, world)),
    );
    expect(status).to.equal(202);
    world.pass(31_000);
    await resolve(node);
    expect(await current(node, id)).to.include({ status: 'AUTHORIZED' });
    expect(node.reported.map(String)).to.deep.equal(['TypeError: a defect']);
  });

  it('gives session and token back when it was provably not sent', async () => {
    let down = true;
    const node = await open(
      scripted(stores.sandbox, {
        perform: () => (down ? Promise.resolve({ kind: 'not_sent' as const, detail: 'refused' }) : undefined),
      }),
    );
    const asked = await begin(node);
    const failed = done(await node.service.payments.authorizePayment(asked, merchant(ACCOUNT, world)));
    expect(known(failed.doc)).to.include({ status: 'FAILED' });
    down = false;
    const paid = done(await node.service.payments.authorizePayment(asked, merchant(ACCOUNT, world)));
    expect(known(paid.doc)).to.include({ status: 'AUTHORIZED' });
  });

  it('voids a success that arrives after the payment was given up', async () => {
    const node = await open(
      scripted(stores.sandbox, {
        perform: ({ operation }) =>
          operation === 'authorization' ? Promise.resolve({ kind: 'unknown' as const, detail: 'reset' }) : undefined,
      }),
    );
    const asked = await begin(node);
    const { id } = done(await node.service.payments.authorizePayment(asked, merchant(ACCOUNT, world)));
    const cancelled = done(
      await node.service.payments.cancelPayment(id, { reason: 'changed my mind' }, merchant(ACCOUNT, world)),
    );
    expect(cancelled.status).to.equal(202);
    const [attempt] = (await current(node, id)).attempts;
    const { reference = '', processorToken = '' } = attempt ?? {};
    await stores.sandbox.perform(
      {
        accountId: ACCOUNT,
        operation: 'authorization',
        reference,
        paymentId: id,
        amount: 1_000,
        currencyCode: 'EUR',
        requestedAt: 0,
        processorToken,
      },
      callOf(),
    );
    world.advance(31_000);
    await resolve(node);
    expect(await current(node, id)).to.include({ status: 'CANCELLED' });
    expect(
      (await wholeLedger(stores.sandbox)).map(({ operation, outcome }) => `${operation} ${outcome}`),
    ).to.deep.equal(['authorization succeeded', 'cancellation succeeded']);
  });

  it('sends no follow-up of an answer when the process was stopped after the request', async () => {
    const node = await open();
    const { streams } = node.service;
    const { append } = streams.payments;
    // The settlement with its automatic capture is written, and then the process is paused for longer than the capture
    // may be sent.
    streams.payments.append = async (id, folded, events, context) => {
      const written = await append.call(streams.payments, id, folded, events, context);
      if (events.some(({ type }) => type === 'CaptureRequested')) world.pass(timings.sendWithinMs + 50);
      return written;
    };
    const session = await node.service.sessions.createClientSession(
      { orderId: 'o-1', currencyCode: 'EUR', amount: 1_000, paymentMethod: { captureMode: 'AUTOMATIC' } },
      merchant(ACCOUNT, world),
    );
    if (session.kind === 'rejected') throw new Error(session.errorId);
    const paymentMethodToken = done(
      await node.service.instruments.tokenizeCard(card(), checkout(ACCOUNT, session.id, world)),
    ).id;
    const { id } = done(
      await node.service.payments.authorizePayment(
        { clientToken: session.clientToken, paymentMethodToken },
        merchant(ACCOUNT, world),
      ),
    );
    expect(await current(node, id)).to.include({ status: 'AUTHORIZED', amountCaptured: 0 });
    expect((await wholeLedger(stores.sandbox)).map(({ operation }) => operation)).to.deep.equal(['authorization']);
  });

  for (const [clock, passes] of [
    ['wall clock, as of a machine that was suspended', { now: timings.sendWithinMs + 50, monotonic: 0 }],
    ['monotonic clock, whatever was done to the wall clock', { now: 0, monotonic: timings.sendWithinMs + 50 }],
  ] as const) {
    it(`sends no call when the time for it has passed by the ${clock}`, async () => {
      const passed = { now: 0, monotonic: 0 };
      const own: World = {
        ...world,
        now: () => world.now() + passed.now,
        monotonic: () => world.monotonic() + passed.monotonic,
      };
      const node = await nodeOn({ ...stores, world: own }, { timings });
      const { payments } = node.service.streams;
      const { appendAll } = payments;
      payments.appendAll = async (prepared) => {
        const appended = await appendAll.call(payments, prepared);
        Object.assign(passed, passes);
        return appended;
      };
      const { doc } = done(await node.service.payments.authorizePayment(await begin(node), merchant(ACCOUNT, world)));
      expect(known(doc).attempts.map(({ state }) => state)).to.deep.equal(['not_sent']);
      expect(await wholeLedger(stores.sandbox)).to.deep.equal([]);
    });
  }

  it('answers a repeated call as its caller was answered when a look-up had settled it first', async () => {
    let settledBy: Promise<unknown> = Promise.resolve();
    const other = await open();
    const node = await open(
      scripted(stores.sandbox, {
        perform: (request) =>
          request.operation === 'authorization'
            ? stores.sandbox.perform(request, callOf()).then(async (outcome) => {
                world.advance(31_000); // another node takes the silence for long enough and asks
                settledBy = resolve(other);
                await settledBy;
                return outcome;
              })
            : undefined,
      }),
    );
    const asked = await begin(node);
    const keyed = () => merchant(ACCOUNT, world, 'k-1', 'body');
    const first = done(await node.service.payments.authorizePayment(asked, keyed()));
    await settledBy;
    done(await node.service.payments.capturePayment(first.id, {}, merchant(ACCOUNT, world)));
    const again = done(await other.service.payments.authorizePayment(asked, keyed()));
    expect([again.status, again.revision, again.doc]).to.deep.equal([200, first.revision, first.doc]);
  });
});

describe('the deadline of a call', () => {
  let world: MovableWorld;
  let stores: Stores;
  beforeEach(async () => {
    world = movableWorld();
    stores = await memoryStores(world);
  });
  const tokenIn = async ({ service }: TestNode, fields: object = {}) => {
    const session = await service.sessions.createClientSession(
      { orderId: 'o-1', currencyCode: 'EUR', amount: 1_000, ...fields },
      merchant(ACCOUNT, world),
    );
    if (session.kind === 'rejected') throw new Error(session.errorId);
    const paymentMethodToken = done(
      await service.instruments.tokenizeCard(card(), checkout(ACCOUNT, session.id, world)),
    ).id;
    return { clientToken: session.clientToken, paymentMethodToken };
  };
  const estimated = { paymentMethod: { authorizationType: 'ESTIMATED' } };

  it('is answered with 202 and the payment as it is known, whatever was asked for', async () => {
    let silent = false;
    const node = await nodeOn(stores, {
      timings,
      processor: scripted(stores.sandbox, { perform: () => (silent ? new Promise(() => undefined) : undefined) }),
    });
    const { service } = node;
    const caller = () => merchant(ACCOUNT, world);
    const operations = {
      capture: (id: string) => service.payments.capturePayment(id, {}, caller()),
      cancellation: (id: string) => service.payments.cancelPayment(id, {}, caller()),
      adjustment: (id: string) => service.payments.adjustAuthorization(id, { amount: 1_500 }, caller()),
      refund: async (id: string) => {
        silent = false;
        done(await service.payments.capturePayment(id, {}, caller()));
        silent = true;
        return service.payments.refundPayment(id, {}, caller());
      },
    };
    silent = true;
    const unheard = done(await service.payments.authorizePayment(await tokenIn(node), caller()));
    expect(known(unheard.doc)).to.include({ status: 'PENDING' });
    expect([unheard.status, known(unheard.doc).statusReason?.because]).to.deep.equal([202, 'unknown']);
    for (const [operation, ask] of Object.entries(operations)) {
      silent = false;
      const { id } = done(await service.payments.authorizePayment(await tokenIn(node, estimated), caller()));
      silent = true;
      const answer = done(await ask(id));
      expect([operation, answer.status, known(answer.doc).status]).to.deep.equal([
        operation,
        202,
        operation === 'refund' ? 'SETTLED' : 'AUTHORIZED',
      ]);
      const last = known(answer.doc).attempts.at(-1);
      expect(last).to.deep.include({ operation, state: 'unknown' });
      expect(last && causeOf(last, known(answer.doc))?.because).to.equal('unknown');
    }
    expect(node.reported).to.deep.equal([]);
  });

  it('records an answer that arrives after the deadline, and does its follow-ups', async () => {
    let tell: (outcome: Outcome) => void = () => undefined;
    const told = new Promise<Outcome>((resolve) => {
      tell = resolve;
    });
    const node = await nodeOn(stores, {
      timings,
      processor: scripted(stores.sandbox, {
        perform: ({ operation }) => (operation === 'authorization' ? told : undefined),
      }),
    });
    const { service } = node;
    const asked = await tokenIn(node, { paymentMethod: { captureMode: 'AUTOMATIC' } });
    const keyed = () => merchant(ACCOUNT, world, 'k-1', 'body');
    const { id, status } = done(await service.payments.authorizePayment(asked, keyed()));
    expect(status).to.equal(202);
    const settled = new Promise<void>((resolve) => {
      const { append } = service.streams.payments;
      service.streams.payments.append = async (...args) => {
        const written = await append.apply(service.streams.payments, args);
        if (args[2].some(({ type }) => type === 'CaptureDeclined')) resolve();
        return written;
      };
    });
    tell({ kind: 'succeeded', processorTransactionId: 'tx_late', amount: 1_000, currencyCode: 'EUR' });
    await settled; // the sandbox knows no tx_late, and refuses the capture that follows
    const now = known((await service.streams.payments.current(id)).state);
    expect(now).to.include({ status: 'AUTHORIZED', processorTransactionId: 'tx_late' });
    expect(now.attempts.map(({ operation, state }) => `${operation} ${state}`)).to.deep.equal([
      'authorization succeeded',
      'capture declined',
    ]);
    expect(done(await service.payments.authorizePayment(asked, keyed()))).to.include({ status: 200, replayed: true });
    expect(node.reported).to.deep.equal([]);
  });

  it('gives up an answer that never comes, or that fails after it, and the look-up settles the attempt', async () => {
    const node = await nodeOn(stores, {
      timings,
      processor: scripted(stores.sandbox, {
        perform: (request, call) =>
          stores.sandbox
            .perform(request, callOf())
            .then(
              () =>
                new Promise((_, reject) => call.signal.addEventListener('abort', () => reject(new Error('given up')))),
            ),
      }),
    });
    const { id, status } = done(
      await node.service.payments.authorizePayment(await tokenIn(node), merchant(ACCOUNT, world)),
    );
    expect(status).to.equal(202);
    world.pass(31_000);
    await lookUpDue(node);
    expect(known((await node.service.streams.payments.current(id)).state)).to.include({ status: 'AUTHORIZED' });
    expect(node.reported.map(String)).to.deep.equal(['Error: given up']);
  });
});
