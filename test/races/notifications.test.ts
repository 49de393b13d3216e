// One notification, sent many times at once to two nodes during look-ups of its attempt, is recorded once and counts
// once.
import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import { isKnown } from '../../src/domain/payment/queries.ts';
import { formatTime } from '../../src/world.ts';
import { card, checkout, lookUpDue, memoryStores, merchant, nodeOn, type TestNode } from '../support/node.ts';
import { movableWorld } from '../support/test-world.ts';
import { appendedSince, typesOf } from './arena.ts';

const ACCOUNT = 'acc_1';
const CAPTURES_LATER = '4000009900003040';

describe('a notification that arrives twenty times at once on two nodes', () => {
  const settled = <A extends { readonly kind: string }>(answer: A): Exclude<A, { readonly kind: 'rejected' }> => {
    if (isSettled(answer)) return answer;
    throw new Error(JSON.stringify(answer));
  };
  const isSettled = <A extends { readonly kind: string }>(
    answer: A,
  ): answer is Exclude<A, { readonly kind: 'rejected' }> => answer.kind !== 'rejected';

  async function pendingCapture({ service }: TestNode, world: ReturnType<typeof movableWorld>) {
    const { id, clientToken } = settled(
      await service.sessions.createClientSession(
        { orderId: 'o-1', currencyCode: 'EUR', amount: 1_000 },
        merchant(ACCOUNT, world),
      ),
    );
    const token = settled(await service.instruments.tokenizeCard(card(CAPTURES_LATER), checkout(ACCOUNT, id, world)));
    const paid = settled(
      await service.payments.authorizePayment({ clientToken, paymentMethodToken: token.id }, merchant(ACCOUNT, world)),
    );
    const captured = settled(await service.payments.capturePayment(paid.id, {}, merchant(ACCOUNT, world)));
    if (!isKnown(captured.doc) || captured.doc.status !== 'SETTLING')
      throw new Error('the capture must be confirmed later');
    const attempt = captured.doc.attempts.at(-1);
    return {
      paymentId: paid.id,
      reference: attempt?.reference ?? '',
      processorTransactionId: attempt?.processorTransactionId ?? '',
    };
  }

  it('settles its capture once, even during a look-up', async () => {
    for (let round = 0; round < 5; round += 1) {
      const world = movableWorld();
      const stores = await memoryStores(world);
      const nodes = [await nodeOn(stores), await nodeOn(stores)] as const;
      const { paymentId, reference, processorTransactionId } = await pendingCapture(nodes[0], world);
      world.advance(31_000);
      const raw = JSON.stringify({
        notificationId: 'n-1',
        type: 'capture.succeeded',
        occurredAt: formatTime(world.now()),
        reference,
        processorTransactionId,
        amount: 1_000,
        currencyCode: 'EUR',
      });
      const seconds = Math.floor(world.now() / 1_000);
      const [key = Buffer.alloc(0)] = stores.secrets.keys('sandbox-signature');
      const signature = createHmac('sha256', key).update(`${seconds}.${raw}`).digest('hex');
      const headers = { 'x-sandbox-signature': `t=${seconds},v1=${signature}` };
      const head = await stores.events.head();

      const told = Array.from({ length: 20 }, async (_, index) => {
        const { service } = nodes[index % 2 === 0 ? 0 : 1];
        const received = await service.notifications.receiveNotification(
          { processor: 'sandbox', raw, headers },
          merchant(ACCOUNT, world),
        );
        if (received.kind !== 'received') throw new Error(JSON.stringify(received));
        await received.handled;
      });
      const asked = nodes.map(lookUpDue);
      await Promise.all([...told, ...asked]);

      // a look-up that was asked after the notification's time may say the same again
      const { OutcomeRepeated: _again, ...types } = typesOf(await appendedSince(stores.events, head));
      expect(types).to.deep.equal({
        NotificationReceived: 1,
        PaymentCaptured: 1,
        NotificationApplied: 1,
      });
      const { state } = await nodes[1].service.streams.payments.current(paymentId);
      expect(state).to.include({ status: 'SETTLED', amountCaptured: 1_000 });
      expect(nodes.flatMap(({ reported }) => reported)).to.deep.equal([]);
    }
  });
});
