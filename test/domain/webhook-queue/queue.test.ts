// The messages about one payment to one endpoint: each once, in order, tried again on a schedule (contract §8).
import { expect } from 'chai';
import type { Decision } from '../../../src/domain/decider.ts';
import {
  type DeliveryOutcome,
  dueMessages,
  nextAttemptAt,
  queueMessages,
  RETRY_DELAYS,
  recordDeliveries,
  resendMessage,
  resendUntaken,
} from '../../../src/domain/webhook-queue/decide.ts';
import type { WebhookQueueEvent } from '../../../src/domain/webhook-queue/events.ts';
import { deliveryStatus, dueAtOf, type WebhookQueue, webhookQueue } from '../../../src/domain/webhook-queue/state.ts';

const AT = 1_000_000;
const message = (sequence: number) => ({
  accountId: 'acc_1',
  endpointId: 'we_1',
  paymentId: 'pay_1',
  eventId: `event-${sequence}`,
  eventType: 'PAYMENT.STATUS' as const,
  sequence,
  queuedAt: AT,
});
const outcome = (sequence: number, tries: number, rest: Partial<DeliveryOutcome>): DeliveryOutcome => ({
  sequence,
  tries,
  at: AT,
  tookMs: 3,
  signed: { timestamp: 1_000, signature: 'v1,c2lnbmVk' },
  chance: 0,
  ...rest,
});

function applied(queue: WebhookQueue, decision: Decision<WebhookQueueEvent>): WebhookQueue {
  if (decision.kind === 'rejected') throw new Error(decision.description);
  return decision.events.reduce(
    (state, event, revision) => webhookQueue.evolve(state, event, { id: `e${revision}`, revision, at: AT }),
    queue,
  );
}
const eventsOf = (decision: Decision<WebhookQueueEvent>) =>
  decision.kind === 'rejected' ? [decision.errorId] : decision.events;
const queued = (...sequences: number[]): WebhookQueue =>
  applied(webhookQueue.initial, queueMessages(sequences.map(message))(webhookQueue.initial));

describe('a webhook queue', () => {
  it('links each message to the one queued before it, across calls', () => {
    const queue = applied(queued(2), queueMessages([message(4), message(7)])(queued(2)));
    expect(queue.status === 'queue' && queue.messages.map(({ previousSequence }) => previousSequence)).to.deep.equal([
      undefined,
      2,
      4,
    ]);
  });

  it('takes each message once, and none that is older than its last one', () => {
    expect(eventsOf(queueMessages([message(2), message(4)])(queued(2, 4)))).to.deep.equal([]);
    expect(eventsOf(queueMessages([message(3)])(queued(2, 4)))).to.deep.equal([]);
  });

  it('is due at once, and no longer when all was delivered', () => {
    const queue = queued(2, 4);
    expect(dueAtOf(queue)).to.equal(AT);
    const done = applied(
      queue,
      recordDeliveries([outcome(2, 0, { status: 204 }), outcome(4, 0, { status: 200 })])(queue),
    );
    expect(dueAtOf(done)).to.equal(undefined);
    expect(dueMessages(done, AT + 1e9)).to.deep.equal([]);
  });

  it('tries a message nine more times, each later than the last, and then gives it up', () => {
    let queue = queued(2);
    let at = AT;
    for (const [tries, delay] of RETRY_DELAYS.entries()) {
      queue = applied(queue, recordDeliveries([outcome(2, tries, { status: 500, at })])(queue));
      expect(dueAtOf(queue)).to.equal(at + delay);
      at += delay;
    }
    const over = applied(
      queue,
      recordDeliveries([outcome(2, RETRY_DELAYS.length, { fault: 'no answer within 10 s', at })])(queue),
    );
    expect(over.status === 'queue' && over.messages[0]?.status).to.equal('failed');
    expect(dueAtOf(over)).to.equal(undefined);
  });

  it('records a try once when two processes made it', () => {
    const first = applied(queued(2), recordDeliveries([outcome(2, 0, { status: 500 })])(queued(2)));
    expect(eventsOf(recordDeliveries([outcome(2, 0, { status: 204 })])(first))).to.deep.equal([]);
  });

  for (const status of [200, 201, 204, 299])
    it(`takes ${status} for a success`, () =>
      expect(eventsOf(recordDeliveries([outcome(2, 0, { status })])(queued(2)))[0]).to.have.property(
        'type',
        'MessageDelivered',
      ));
  for (const status of [199, 301, 400, 404, 429, 500])
    it(`takes ${status} for a failure`, () =>
      expect(eventsOf(recordDeliveries([outcome(2, 0, { status })])(queued(2)))[0]).to.have.property(
        'type',
        'DeliveryFailed',
      ));

  it('records how each call was signed', () => {
    const signed = { timestamp: 1_000, signature: 'v1,c2lnbmVk' };
    for (const status of [204, 500]) {
      const [event] = eventsOf(recordDeliveries([outcome(2, 0, { status })])(queued(2)));
      expect(event).to.have.nested.property('data.signed').that.deep.equals(signed);
    }
  });

  it('delivers a message again at the request of a person, from the first delay on', () => {
    const done = applied(queued(2), recordDeliveries([outcome(2, 0, { status: 204 })])(queued(2)));
    const again = applied(done, resendMessage(2, AT + 60_000)(done));
    expect(dueAtOf(again)).to.equal(AT + 60_000);
    const failed = applied(again, recordDeliveries([outcome(2, 0, { status: 500, at: AT + 60_000 })])(again));
    expect(dueAtOf(failed)).to.equal(AT + 65_000);
    expect(eventsOf(resendMessage(3, AT)(done))).to.deep.equal(['NotFound']);
    expect(eventsOf(resendMessage(2, AT)(queued(2)))).to.deep.equal([]);
  });

  describe('resent as a whole', () => {
    const untaken = { since: AT, asOf: AT + 1 };
    const refused = (queue: WebhookQueue, sequence: number, tries = 0) =>
      applied(queue, recordDeliveries([outcome(sequence, tries, { status: 500 })])(queue));
    const statuses = (queue: WebhookQueue) => (queue.status === 'absent' ? [] : queue.messages.map(deliveryStatus));
    const givenUp = (queue: WebhookQueue) =>
      [...RETRY_DELAYS.keys(), RETRY_DELAYS.length].reduce((one, tries) => refused(one, 2, tries), queue);

    it('is waiting before its first call, and retrying after a refusal', () => {
      expect(statuses(refused(queued(2, 4), 2))).to.deep.equal(['retrying', 'waiting']);
    });

    it('delivers again what is retried later or was given up, and nothing else', () => {
      const queue = refused(givenUp(queued(2, 4, 6)), 4);
      expect(eventsOf(resendUntaken(untaken, AT)(queue))).to.deep.equal([
        { type: 'MessageResent', data: { sequence: 2, dueAt: AT } },
        { type: 'MessageResent', data: { sequence: 4, dueAt: AT } },
      ]);
      expect(statuses(applied(queue, resendUntaken(untaken, AT)(queue)))).to.deep.equal([
        'waiting',
        'waiting',
        'waiting',
      ]);
    });

    it('leaves out a retry that is due already, whose call may be under way', () => {
      expect(eventsOf(resendUntaken(untaken, AT + 5_000)(refused(queued(2), 2)))).to.deep.equal([]);
      expect(eventsOf(resendUntaken(untaken, AT + 4_999)(refused(queued(2), 2)))).to.have.length(1);
    });

    it('leaves out messages from before that time, and those that were called since the user looked', () => {
      const queue = refused(queued(2), 2);
      expect(eventsOf(resendUntaken({ ...untaken, since: AT + 1 }, AT)(queue))).to.deep.equal([]);
      expect(eventsOf(resendUntaken({ ...untaken, asOf: AT }, AT)(queue))).to.deep.equal([]);
      expect(eventsOf(resendUntaken({ ...untaken, asOf: AT - 1 }, AT)(queue))).to.deep.equal([]);
      const again = refused(applied(queue, resendUntaken(untaken, AT)(queue)), 2);
      expect(eventsOf(resendUntaken({ ...untaken, asOf: AT }, AT)(again))).to.deep.equal([]);
    });
  });

  it('adds at most a fifth to a delay by chance', () => {
    expect(nextAttemptAt(1, AT, 0)).to.equal(AT + 5_000);
    expect(nextAttemptAt(1, AT, 1)).to.equal(AT + 6_000);
    expect(nextAttemptAt(RETRY_DELAYS.length + 1, AT, 0)).to.equal(undefined);
  });
});
