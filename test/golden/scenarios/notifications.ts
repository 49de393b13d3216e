// Processors' notifications.
import { notificationCategory } from '../../../src/domain/notification/events.ts';
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

export const notificationScenarios: readonly Scenario[] = [
  scenario(notificationCategory, 'n_applied', [
    received(0),
    { type: 'NotificationParked', data: { reason: AWKWARD_TEXT, retryAt: AT + 60_000 } },
    { type: 'NotificationParked', data: { reason: '', retryAt: AT + 120_000 } },
    { type: 'NotificationApplied', data: { paymentId: 'pay_1' } },
  ]),
  scenario(notificationCategory, 'n_discarded', [
    received(1_000),
    { type: 'NotificationParked', data: { reason: 'unknown' } },
    { type: 'NotificationDiscarded', data: { by: AWKWARD_TEXT } },
  ]),
];
