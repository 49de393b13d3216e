// Processors' notifications.
import { notificationCategory, type ParkedReason } from '../../../src/domain/notification/events.ts';
import { AWKWARD_TEXT } from './awkward.ts';
import { AT, type Scenario, scenario } from './scenario.ts';

const received = (item: number) => ({
  type: 'NotificationReceived' as const,
  data: {
    processor: 'sandbox',
    connectionId: 'sandbox',
    accountId: 'acc_golden',
    notificationId: AWKWARD_TEXT,
    raw: `{"note":${JSON.stringify(AWKWARD_TEXT)}}`,
    item,
    receivedAt: AT,
  },
});

const REASONS: readonly ParkedReason[] = [
  { code: 'payment_unknown' },
  { code: 'attempt_unknown' },
  { code: 'operation_differs', told: AWKWARD_TEXT, attempted: '' },
  { code: 'processor_differs', told: AWKWARD_TEXT, attempted: '' },
  { code: 'content_differs', firstRecordId: AWKWARD_TEXT },
  { code: 'return_without_success', attemptId: AWKWARD_TEXT, state: '' },
  { code: 'return_differs', attemptId: AWKWARD_TEXT, amount: 2 ** 53 - 1, currencyCode: 'DEM' },
  { code: 'dispute' },
  { code: 'refused', errorId: AWKWARD_TEXT },
];

export const notificationScenarios: readonly Scenario[] = [
  scenario(notificationCategory, 'n_applied', [
    received(0),
    ...REASONS.map((reason, index) => ({
      type: 'NotificationParked' as const,
      data: { reason, retryAt: AT + index * 60_000 },
    })),
    { type: 'NotificationApplied', data: { paymentId: 'pay_1' } },
  ]),
  scenario(notificationCategory, 'n_of_a_saved_method', [
    received(0),
    { type: 'NotificationParked', data: { reason: { code: 'instrument_unknown' }, retryAt: AT } },
    { type: 'NotificationAppliedToInstrument', data: { paymentMethodToken: 'pm_1' } },
  ]),
  scenario(notificationCategory, 'n_discarded', [
    received(1_000),
    { type: 'NotificationParked', data: { reason: { code: 'unreadable' } } },
    { type: 'NotificationDiscarded', data: { by: AWKWARD_TEXT } },
  ]),
  scenario(notificationCategory, 'n_retried', [
    received(0),
    { type: 'NotificationRetryRequested', data: { by: 'usr_golden' } },
    { type: 'NotificationParked', data: { reason: { code: 'payment_unknown' } } },
    { type: 'NotificationRetryRequested', data: { by: AWKWARD_TEXT } },
  ]),
];
