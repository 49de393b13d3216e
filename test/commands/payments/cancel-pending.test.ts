// A cancellation of a payment that waits: the wish is on record before anything is looked up, and what is found is
// voided, never captured.
import { expect } from 'chai';
import { z } from 'zod';
import { waitingAuthorization } from '../../../src/domain/payment/authentication.ts';
import type { LookUp } from '../../../src/domain/payment/outcome.ts';
import type { Payment } from '../../../src/domain/payment/payment.ts';
import { isKnown } from '../../../src/domain/payment/queries.ts';
import { done } from '../../support/answers.ts';
import { appendedBy, eventsAfter } from '../../support/http-appended.ts';
import {
  card,
  checkout,
  lookUpDue,
  memoryStores,
  merchant,
  nodeOn,
  type Stores,
  type TestNode,
} from '../../support/node.ts';
import { scripted } from '../../support/scripted-processor.ts';
import { type MovableWorld, movableWorld } from '../../support/test-world.ts';

const ACCOUNT = 'acc_1';
/** A pending card without a notification of the outcome. */
const PENDING = '4000009900001036';
/** Its answer is lost, although the money is held. */
const LOST = '4000009900001077';
const CHALLENGED = '4000000000003220';
const UNREACHABLE: LookUp = { kind: 'unreachable', detail: 'nobody answers' };

const Metadata = z.object({ $correlationId: z.string(), actor: z.object({ kind: z.string(), id: z.string() }) });

describe('a cancellation of a payment with automatic capture that waits', () => {
  let world: MovableWorld;
  let stores: Stores;
  let node: TestNode;
  beforeEach(async () => {
    world = movableWorld();
    stores = await memoryStores(world);
    node = await nodeOn(stores);
  });
  const caller = (key?: string) => ({
    ...merchant(ACCOUNT, world, key),
    actor: { kind: 'apiKey', id: 'key_of_cancel' } as const,
  });
  const payer = () => merchant(ACCOUNT, world);
  const paid = async (number: string): Promise<string> => {
    const { service } = node;
    const fields = {
      orderId: 'o',
      currencyCode: 'EUR',
      amount: 1_000,
      paymentMethod: { captureMode: 'AUTOMATIC' },
    } as const;
    const session = await service.sessions.createClientSession(fields, payer());
    if (session.kind === 'rejected') throw new Error(session.errorId);
    const token = done(await service.instruments.tokenizeCard(card(number), checkout(ACCOUNT, session.id, world)));
    const stream = 'payment-';
    const before = await stores.events.head();
    const { clientToken } = session;
    await service.payments.authorizePayment({ clientToken, paymentMethodToken: token.id }, payer());
    const made = (await eventsAfter(stores.events, before)).find((event) => event.stream.startsWith(stream));
    return made?.stream.slice(stream.length) ?? '';
  };
  const approve = async (id: string): Promise<void> => {
    const action = waitingAuthorization((await node.service.streams.payments.current(id)).state)?.action;
    await stores.sandbox.answerChallenge(action?.kind === 'redirect' ? (action.url.split('/').at(-1) ?? '') : '', true);
  };
  const statusOf = ({ status }: Payment) => status;
  const operations = async (id: string) => {
    const { state } = await node.service.streams.payments.current(id);
    return isKnown(state) ? state.attempts.map(({ operation, state: of }) => `${operation} ${of}`) : [];
  };
  const contextsAfter = async (before: bigint, type: string) =>
    (await eventsAfter(stores.events, before))
      .filter((event) => event.type === type)
      .map((event) => Metadata.parse(JSON.parse(event.metadata)));

  for (const [what, number, prepare] of [
    ['that is pending over there', PENDING, async () => world.advance(6_000)],
    ['whose answer was lost', LOST, async () => world.advance(31_000)],
    ['whose customer has approved and not come back', CHALLENGED, approve],
  ] as const) {
    it(`${what} voids what it finds`, async () => {
      const id = await paid(number);
      await prepare(id);
      const { answer, types } = await appendedBy(stores.events, () =>
        node.service.payments.cancelPayment(id, {}, caller()),
      );
      expect(types[0]).to.equal('payment CancellationIntended');
      expect([statusOf(done(answer).doc), done(answer).status]).to.deep.equal(['CANCELLED', 200]);
      expect(await operations(id)).to.deep.equal(['authorization succeeded', 'cancellation succeeded']);
    });
  }

  it('answers the same again under its key, and appends nothing', async () => {
    for (const [number, prepare] of [
      [LOST, async () => world.advance(31_000)],
      [CHALLENGED, async () => undefined],
    ] as const) {
      const id = await paid(number);
      await prepare();
      const first = done(await node.service.payments.cancelPayment(id, {}, caller(`k-${number}`)));
      const again = await appendedBy(stores.events, () =>
        node.service.payments.cancelPayment(id, {}, caller(`k-${number}`)),
      );
      expect(done(again.answer)).to.deep.equal({ ...first, replayed: true });
      expect(again.types).to.deep.equal([]);
    }
  });

  it('that is asked for twice at once voids once, and both are answered', async () => {
    for (const [number, prepare] of [
      [LOST, async () => world.advance(31_000)],
      [CHALLENGED, approve],
      [CHALLENGED, async () => undefined],
    ] as const) {
      const id = await paid(number);
      await prepare(id);
      const other = await nodeOn(stores);
      const both = await Promise.all(
        [node, other].map(({ service }) => service.payments.cancelPayment(id, {}, caller())),
      );
      const types = await node.service.streams.payments.current(id);
      expect(statusOf(types.state)).to.equal('CANCELLED');
      expect((await operations(id)).filter((one) => one.startsWith('capture'))).to.deep.equal([]);
      expect((await operations(id)).filter((one) => one.startsWith('cancellation')).length).to.be.lessThan(2);
      expect(both.filter(({ kind }) => kind === 'completed').length).to.be.greaterThan(0);
    }
  });

  it('is finished by due work where the process died after the wish', async () => {
    const id = await paid(CHALLENGED);
    const dying = await nodeOn(stores, { processor: scripted(stores.sandbox, { fence: async () => UNREACHABLE }) });
    expect(done(await dying.service.payments.cancelPayment(id, {}, caller())).status).to.equal(202);
    await approve(id);
    world.advance(61_000);
    await lookUpDue(node);
    expect(await operations(id)).to.deep.equal(['authorization succeeded', 'cancellation succeeded']);
    expect(statusOf((await node.service.streams.payments.current(id)).state)).to.equal('CANCELLED');
  });

  it('whose void is refused is refused', async () => {
    const declining = scripted(stores.sandbox, {
      perform: ({ operation }) =>
        operation === 'cancellation'
          ? Promise.resolve({ kind: 'declined', code: 'GENERIC_DECLINE', declineType: 'HARD' })
          : undefined,
    });
    const id = await paid(LOST);
    world.advance(31_000);
    const { service } = await nodeOn(stores, { processor: declining });
    expect(await service.payments.cancelPayment(id, {}, caller())).to.include({
      kind: 'rejected',
      errorId: 'CancellationDeclined',
    });
  });

  it('that is refused leaves no event, whatever could be looked up', async () => {
    const id = await paid('4242424242424242');
    const lost = scripted(stores.sandbox, {
      perform: async (request, call) => {
        const outcome = await stores.sandbox.perform(request, call);
        return request.operation === 'refund' ? { kind: 'unknown', detail: 'a reset' } : outcome;
      },
    });
    const { service } = await nodeOn(stores, { processor: lost });
    done(await service.payments.refundPayment(id, { amount: 100 }, payer()));
    world.advance(31_000);
    const { answer, types } = await appendedBy(stores.events, () =>
      node.service.payments.cancelPayment(id, {}, caller()),
    );
    expect(answer).to.include({ kind: 'rejected', errorId: 'PaymentOperationInProgress' });
    expect(types).to.deep.equal([]);
  });

  it('leaves the capture that a refused refund finds to the authorization', async () => {
    const id = await paid(LOST);
    const requested = await contextsAfter(-1n, 'AuthorizationRequested');
    world.advance(31_000);
    const before = await stores.events.head();
    await node.service.payments.refundPayment(id, { amount: 2_000 }, caller());
    expect(await operations(id)).to.deep.equal(['authorization succeeded', 'capture succeeded']);
    for (const type of ['PaymentAuthorized', 'CaptureRequested', 'PaymentCaptured'])
      expect(await contextsAfter(before, type), type).to.deep.equal(requested);
  });
});
