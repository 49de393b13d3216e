// The business clock is moved by days while calls to the processor are under way: no outcome is guessed, and no card is
// charged twice.
import { expect } from 'chai';
import type { Outcome } from '../../src/domain/payment/outcome.ts';
import type { Payment } from '../../src/domain/payment/payment.ts';
import type { OperationRequest } from '../../src/processors/processor.ts';
import { Gate } from '../crash/hooked-stores.ts';
import { card, checkout, memoryStores, merchant, nodeOn, type Stores, type TestNode } from '../support/node.ts';
import { scripted } from '../support/scripted-processor.ts';
import { type MovableWorld, movableWorld } from '../support/test-world.ts';
import { until } from '../support/until.ts';
import { wholeLedger } from '../support/whole-ledger.ts';

const ACCOUNT = 'acc_1';
const DAY_MS = 86_400_000;

describe('a business clock that is moved by days', () => {
  let world: MovableWorld;
  let stores: Stores;
  let nodes: readonly TestNode[];
  /** Calls of this operation wait in front of it, and reach the processor when it opens. */
  let held: { readonly operation: OperationRequest['operation']; readonly gate: Gate } | undefined;
  let performed: string[];
  let lookUps: number;
  const stopping: { end: () => Promise<unknown> } = { end: async () => undefined };
  beforeEach(async () => {
    world = movableWorld();
    stores = await memoryStores(world);
    [held, performed, lookUps] = [undefined, [], 0];
    const { sandbox } = stores;
    const processor = scripted(sandbox, {
      perform: async (request, call): Promise<Outcome> => {
        if (request.operation === held?.operation) await held.gate.pass();
        performed.push(request.operation);
        const outcome = await sandbox.perform(request, call);
        const isHold = outcome.kind === 'succeeded' && request.operation === 'authorization';
        return isHold ? { ...outcome, authorization: { holdExpiresAt: world.now() + 7 * DAY_MS } } : outcome;
      },
      lookUp: async (request, call) => {
        lookUps += 1;
        return sandbox.lookUp(request, call);
      },
    });
    const timings = { sendWithinMs: 5_000, answerWithinMs: 10_000, abandonAfterMs: 60_000 };
    // Another node, which does not know whether the call is under way.
    nodes = [await nodeOn(stores, { processor, timings }), await nodeOn(stores, { processor, timings })];
    const ending = new AbortController();
    const running = nodes.map(({ service }) => service.run(ending.signal));
    stopping.end = () => {
      ending.abort();
      return Promise.all(running);
    };
    await until(() => nodes.every(({ service }) => service.projections.readiness().ready));
  });
  afterEach(async () => {
    await stopping.end();
    for (const { reported } of nodes) expect(reported).to.deep.equal([]);
  });

  const service = () => {
    const [node] = nodes;
    if (node === undefined) throw new Error('no node');
    return node.service;
  };
  const advance = (ms: number): void => {
    world.advance(ms);
    for (const node of nodes) node.service.lookAtOnce();
  };
  const session = async () => {
    const made = await service().sessions.createClientSession(
      { orderId: 'o-1', currencyCode: 'EUR', amount: 1_000 },
      merchant(ACCOUNT, world),
    );
    if (made.kind === 'rejected') throw new Error(made.errorId);
    return made;
  };
  const pay = async (): Promise<string> => {
    const { id: sessionId, clientToken } = await session();
    const token = await service().instruments.tokenizeCard(card(), checkout(ACCOUNT, sessionId, world));
    if (token.kind === 'rejected') throw new Error(token.errorId);
    const paid = await service().payments.authorizePayment(
      { clientToken, paymentMethodToken: token.id },
      merchant(ACCOUNT, world),
    );
    if (paid.kind === 'rejected') throw new Error(paid.errorId);
    return paid.id;
  };
  const statusOf = async (id: string): Promise<Payment['status']> =>
    (await service().streams.payments.current(id)).state.status;
  const typesOf = async (id: string): Promise<readonly string[]> => {
    const types: string[] = [];
    for await (const { event } of service().streams.payments.history(id, -1)) types.push(event.type);
    return types;
  };

  it('settles no authorization in progress: "not found" proves nothing then, however far the clock went', async () => {
    const gate = new Gate();
    held = { operation: 'authorization', gate };
    const paying = pay();
    await gate.reached;
    for (const days of [7, 30, 300]) {
      const before = lookUps;
      advance(days * DAY_MS);
      await until(() => lookUps > before);
    }
    gate.open();
    const id = await paying;
    expect(await statusOf(id)).to.equal('AUTHORIZED');
    expect(performed).to.deep.equal(['authorization']);
    expect(await typesOf(id))
      .to.include('PaymentAuthorized')
      .and.not.to.include.oneOf(['AuthorizationNotFound', 'LateSuccessRecorded']);
    expect((await wholeLedger(stores.sandbox)).map(({ outcome }) => outcome)).to.deep.equal(['succeeded']);
  });

  it('lets no authorization expire whose capture is under way', async () => {
    const id = await pay();
    const gate = new Gate();
    held = { operation: 'capture', gate };
    const capturing = service().payments.capturePayment(id, {}, merchant(ACCOUNT, world));
    await gate.reached;
    const before = lookUps;
    advance(8 * DAY_MS);
    await until(() => lookUps > before);
    expect(await statusOf(id)).to.equal('AUTHORIZED');
    gate.open();
    expect(await capturing).to.include({ kind: 'completed', status: 200 });
    expect(await statusOf(id)).to.equal('SETTLED');
    expect(await typesOf(id)).not.to.include('AuthorizationExpired');
    expect(performed).to.deep.equal(['authorization', 'capture']);
  });

  it('lets an authorization without a capture expire at once, and frees its session', async () => {
    const id = await pay();
    advance(7 * DAY_MS - 60_000);
    expect(await statusOf(id)).to.equal('AUTHORIZED');
    advance(60_000);
    await until(async () => (await statusOf(id)) === 'CANCELLED');
    const { state } = await service().streams.payments.current(id);
    const sessionId = state.status === 'CANCELLED' ? (state.sessionId ?? '') : '';
    await until(async () => {
      const { state: of } = await service().streams.sessions.current(sessionId);
      return of.status === 'open' && of.payment === undefined;
    });
  });

  it('ends client tokens after their day; the session is renewed for 30 days more, and not after that', async () => {
    const { clientToken } = await session();
    advance(2 * DAY_MS);
    const patched = await service().sessions.patchClientSession(
      { clientToken, orderId: 'o-2' },
      merchant(ACCOUNT, world),
    );
    expect(patched).to.include({ kind: 'rejected', errorId: 'ClientSessionValidationError' });
    const renewed = await service().sessions.issueClientToken({ clientToken }, merchant(ACCOUNT, world));
    if (renewed.kind === 'rejected') throw new Error(renewed.errorId);
    const again = await service().sessions.patchClientSession(
      { clientToken: renewed.clientToken, orderId: 'o-2' },
      merchant(ACCOUNT, world),
    );
    expect(again).to.include({ kind: 'completed' });
    advance(32 * DAY_MS);
    const late = await service().sessions.issueClientToken(
      { clientToken: renewed.clientToken },
      merchant(ACCOUNT, world),
    );
    expect(late).to.include({ kind: 'rejected', errorId: 'ClientSessionValidationError' });
  });
});
