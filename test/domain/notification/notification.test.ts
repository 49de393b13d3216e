// Processors' notifications: on record first, then applied, parked or discarded, each once (contract §8).
import { expect } from 'chai';
import {
  applyNotification,
  discardNotification,
  parkNotification,
  receiveNotification,
  receiveOtherContent,
  requestRetry,
} from '../../../src/domain/notification/decide.ts';
import type { NotificationEvent, ParkedReason } from '../../../src/domain/notification/events.ts';
import { notification, parkedReason } from '../../../src/domain/notification/state.ts';
import { givenOf } from '../../support/given.ts';

const given = givenOf(notification);
const receipt = {
  processor: 'sandbox',
  connectionId: 'sandbox',
  accountId: 'acc_1',
  notificationId: 'n-1',
  raw: '{}',
  item: 0,
  receivedAt: 500,
};
const received: NotificationEvent = { type: 'NotificationReceived', data: receipt };
const AT = 100_000;
const MINUTE = 60_000;
const UNKNOWN: ParkedReason = { code: 'payment_unknown' };
const UNREADABLE: ParkedReason = { code: 'unreadable' };
const parkedUntil = (retryAt: number, reason: ParkedReason = UNKNOWN): NotificationEvent => ({
  type: 'NotificationParked',
  data: { reason, retryAt },
});
const parked = parkedUntil(AT + MINUTE);
const applied: NotificationEvent = { type: 'NotificationApplied', data: { paymentId: 'pay_1' } };
const discarded: NotificationEvent = { type: 'NotificationDiscarded', data: { by: 'ada' } };

describe('a notification', () => {
  it('is put on record once', () => {
    given().when(receiveNotification(receipt)).then(received);
    given(received)
      .when(receiveNotification({ ...receipt, receivedAt: 900 }))
      .thenNothing();
  });

  it('with other content than the first under its id is parked from the start, once, and has no next try', () => {
    const decided = given().when(receiveOtherContent(receipt, 'first'));
    const reason: ParkedReason = { code: 'content_differs', firstRecordId: 'first' };
    decided.then(received, { type: 'NotificationParked', data: { reason } });
    expect(decided.state).to.deep.equal({ status: 'parked', ...receipt, reason, parkedAt: 1_001, retries: 0 });
    given(received, { type: 'NotificationParked', data: { reason } })
      .when(receiveOtherContent({ ...receipt, receivedAt: 900 }, 'first'))
      .thenNothing();
  });

  const HISTORIES = {
    received: [received],
    parked: [received, parked],
    applied: [received, applied],
    discarded: [received, discarded],
  };
  const TABLE = [
    ['received', 'apply', applied],
    ['received', 'park', parked],
    ['received', 'discard', discarded],
    ['parked', 'apply', applied],
    ['parked', 'park', undefined],
    ['parked', 'discard', discarded],
    ['applied', 'apply', undefined],
    ['applied', 'park', undefined],
    ['applied', 'discard', 'Conflict'],
    ['discarded', 'apply', undefined],
    ['discarded', 'park', undefined],
    ['discarded', 'discard', undefined],
  ] as const;
  const DECISIONS = {
    apply: applyNotification({ paymentId: 'pay_1' }),
    park: parkNotification(UNKNOWN, AT),
    discard: discardNotification('ada'),
  };

  it('that is about a saved method is applied to its token', () => {
    given(received)
      .when(applyNotification({ paymentMethodToken: 'pm_1' }))
      .then({ type: 'NotificationAppliedToInstrument', data: { paymentMethodToken: 'pm_1' } });
    const { state } = given(received, {
      type: 'NotificationAppliedToInstrument',
      data: { paymentMethodToken: 'pm_1' },
    });
    expect(state).to.deep.equal({ status: 'applied', ...receipt, paymentMethodToken: 'pm_1' });
  });

  for (const [status, asked, outcome] of TABLE) {
    const said = outcome === undefined ? 'changes nothing' : outcome === 'Conflict' ? 'is refused' : 'is recorded';
    it(`that is ${status}: to ${asked} it ${said}`, () => {
      const decided = given(...HISTORIES[status]).when(DECISIONS[asked]);
      if (outcome === undefined) decided.thenNothing();
      else if (outcome === 'Conflict') decided.thenRejected('Conflict', { paymentId: 'pay_1' });
      else decided.then(outcome);
    });
  }

  it('is parked again when the reason is another one, which puts its retry neither off nor forward', () =>
    given(received, parked)
      .when(parkNotification(UNREADABLE, AT + 1))
      .then(parkedUntil(AT + MINUTE, UNREADABLE)));

  it('is tried again a minute after it was parked, then after 2, 4, 8 and so on, at last once a day', () => {
    const history = [received, parked];
    let at = AT + MINUTE;
    for (const minutes of [2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024, 1_440, 1_440]) {
      given(...history)
        .when(parkNotification(UNKNOWN, at - 1))
        .thenNothing();
      const again = parkedUntil(at + minutes * MINUTE);
      given(...history)
        .when(parkNotification(UNKNOWN, at))
        .then(again);
      history.push(again);
      at += minutes * MINUTE;
    }
    expect(given(...history).state).to.include({ retries: 12, parkedAt: 1_001 });
  });

  describe('whose retries failed for 30 days', () => {
    const DAY = 1_440 * MINUTE;
    const parkedAt = 1_001;
    const last = parkedUntil(parkedAt + 30 * DAY);
    const ended: NotificationEvent = { type: 'NotificationParked', data: { reason: UNKNOWN } };

    it('is not retried automatically, and says so', () => {
      given(received, last)
        .when(parkNotification(UNKNOWN, parkedAt + 30 * DAY - 1))
        .thenNothing();
      const over = given(received, last).when(parkNotification(UNKNOWN, parkedAt + 30 * DAY));
      over.then(ended);
      expect(over.state).to.deep.equal({ status: 'parked', ...receipt, reason: UNKNOWN, parkedAt, retries: 1 });
    });

    it('has its last try however late that comes, and one before the 30 days is followed by another', () => {
      const due = parkedUntil(parkedAt + 29 * DAY);
      given(received, due)
        .when(parkNotification(UNKNOWN, parkedAt + 30 * DAY - 1))
        .then(parkedUntil(parkedAt + 30 * DAY - 1 + 2 * MINUTE));
      given(received, due)
        .when(parkNotification(UNKNOWN, parkedAt + 400 * DAY))
        .then(ended);
    });

    it('can still be tried by hand, applied and discarded', () => {
      const at = parkedAt + 31 * DAY;
      given(received, last, ended).when(parkNotification(UNKNOWN, at)).thenNothing();
      const other = given(received, last, ended).when(parkNotification(UNREADABLE, at));
      other.then({ type: 'NotificationParked', data: { reason: UNREADABLE } });
      expect(other.state).to.deep.equal({ status: 'parked', ...receipt, reason: UNREADABLE, parkedAt, retries: 1 });
      given(received, last, ended).when(DECISIONS.apply).then(applied);
      given(received, last, ended).when(DECISIONS.discard).then(discarded);
    });
  });

  it('has the request of a person for another try on record, while it is open', () => {
    const requested: NotificationEvent = { type: 'NotificationRetryRequested', data: { by: 'ada' } };
    const decided = given(received, parked).when(requestRetry('ada'));
    decided.then(requested);
    expect(decided.state).to.deep.equal(given(received, parked).state);
    given(received).when(requestRetry('ada')).then(requested);
    given(received, applied).when(requestRetry('ada')).thenRejected('Conflict');
    given(received, discarded).when(requestRetry('ada')).thenRejected('Conflict');
    given().when(requestRetry('ada')).thenRejected('NotFound');
  });

  it('cannot be handled when it never came', () => {
    for (const decide of Object.values(DECISIONS)) given().when(decide).thenRejected('NotFound');
  });

  it('says where it stands, and only that', () => {
    expect(given(received).state).to.deep.equal({ status: 'received', ...receipt });
    expect(given(received, parked).state).to.deep.equal({
      status: 'parked',
      ...receipt,
      reason: UNKNOWN,
      parkedAt: 1_001,
      retries: 0,
      retryAt: AT + MINUTE,
    });
    expect(given(received, parked, applied).state).to.deep.equal({ status: 'applied', ...receipt, paymentId: 'pay_1' });
    expect(given(received, parked, discarded).state).to.deep.equal({ status: 'discarded', ...receipt, by: 'ada' });
  });
});

describe('the reason why a notification is parked', () => {
  const WORDS: readonly (readonly [ParkedReason, string])[] = [
    [{ code: 'payment_unknown' }, 'The notification names no known payment of the account.'],
    [{ code: 'attempt_unknown' }, 'The notification names no known attempt of the payment.'],
    [
      { code: 'operation_differs', told: 'capture', attempted: 'authorization' },
      'The notification reports capture, but the attempt is authorization.',
    ],
    [
      { code: 'processor_differs', told: 'stub', attempted: 'sandbox' },
      'The notification comes from stub, but the attempt was sent to sandbox.',
    ],
    [
      { code: 'content_differs', firstRecordId: 'n0' },
      'An earlier notification with the same id has different content: n0.',
    ],
    [
      { code: 'return_without_success', attemptId: 'pay_1.c', state: 'not_sent' },
      'The notification reports a return, but pay_1.c has not succeeded: its state is not sent.',
    ],
    [
      { code: 'return_differs', attemptId: 'pay_1.c', amount: 1_050, currencyCode: 'EUR' },
      'Only the whole amount of pay_1.c can be returned: 10.50 EUR.',
    ],
    [{ code: 'dispute' }, 'The notification reports a dispute in terms that the service did not know when it tried.'],
    [{ code: 'unreadable' }, 'The stored text can no longer be read.'],
    [{ code: 'refused', errorId: 'Conflict' }, 'The payment rejected the notification: Conflict.'],
  ];

  it('is a code in the event, and a sentence where it is shown', () => {
    for (const [reason, words] of WORDS) expect(parkedReason(reason)).to.equal(words);
  });
});
