// Webhook endpoints, and the queues of their messages.
import { webhookEndpointCategory } from '../../../src/domain/webhook-endpoint.ts';
import { webhookQueueCategory } from '../../../src/domain/webhook-queue/events.ts';
import { AWKWARD_TEXT } from './awkward.ts';
import { AT, type Scenario, scenario } from './scenario.ts';

const queued = (sequence: number, previousSequence?: number) => ({
  type: 'MessageQueued' as const,
  data: {
    accountId: 'acc_golden',
    endpointId: 'we_golden',
    paymentId: 'pay_golden',
    eventId: '00000000-0000-4000-8000-000000000000',
    eventType: 'PAYMENT.STATUS' as const,
    sequence,
    ...(previousSequence !== undefined && { previousSequence }),
    queuedAt: AT,
  },
});
const attempt = (sequence: number) => ({ sequence, at: AT + sequence, tookMs: 12 });
const signed = { timestamp: Math.floor(AT / 1_000), signature: 'v1,c2lnbmVk v1,YmVmb3Jl' };

export const webhookScenarios: readonly Scenario[] = [
  scenario(webhookEndpointCategory, 'we_golden', [
    {
      type: 'WebhookEndpointAdded',
      data: { accountId: 'acc_golden', url: 'https://shop.example/webhooks', addedAt: AT },
    },
    { type: 'WebhookSecretRotated', data: { previousExpiresAt: AT + 86_400_000 } },
    { type: 'WebhookEndpointDisabled', data: { because: 'asked' } },
  ]),
  scenario(webhookEndpointCategory, 'we_gone', [
    {
      type: 'WebhookEndpointAdded',
      data: { accountId: 'acc_golden', url: 'https://shop.example/', events: ['PAYMENT.STATUS'], addedAt: AT },
    },
    { type: 'WebhookEndpointDisabled', data: { because: 'gone' } },
  ]),
  scenario(webhookEndpointCategory, 'we_shortlived', [
    {
      type: 'WebhookEndpointAdded',
      data: { accountId: 'acc_golden', url: 'http://127.0.0.1:40000/listen', addedAt: AT },
    },
    { type: 'WebhookEndpointMadeShortLived', data: {} },
    { type: 'WebhookEndpointDisabled', data: { because: 'gone' } },
  ]),
  scenario(webhookEndpointCategory, 'we_changed', [
    {
      type: 'WebhookEndpointAdded',
      data: { accountId: 'acc_golden', url: 'https://shop.example/webhooks', addedAt: AT },
    },
    {
      type: 'WebhookEndpointChanged',
      data: { url: 'https://shop.example/hooks', events: ['PAYMENT.STATUS', 'PAYMENT.REFUND'] },
    },
    { type: 'WebhookEndpointChanged', data: { url: 'https://shop.example/hooks' } },
    { type: 'WebhookEndpointDeleted', data: {} },
  ]),
  scenario(webhookQueueCategory, 'we_golden.pay_golden', [
    queued(2),
    queued(4, 2),
    { type: 'DeliveryFailed', data: { ...attempt(2), status: 500, body: AWKWARD_TEXT, nextAttemptAt: AT + 5_000 } },
    { type: 'MessageDelivered', data: { ...attempt(4), status: 204 } },
    { type: 'DeliveryFailed', data: { ...attempt(2), fault: 'no answer within 10 s' } },
    { type: 'MessageResent', data: { sequence: 2, dueAt: AT + 10_000 } },
    { type: 'MessageDelivered', data: { ...attempt(2), status: 200, body: AWKWARD_TEXT } },
    queued(7, 4),
  ]),
  scenario(webhookQueueCategory, 'we_golden.agr_golden', [
    {
      type: 'AgreementMessageQueued',
      data: {
        accountId: 'acc_golden',
        endpointId: 'we_golden',
        agreementId: 'agr_golden',
        eventId: '00000000-0000-4000-8000-000000000001',
        eventType: 'AGREEMENT.CHARGE',
        sequence: 3,
        queuedAt: AT,
      },
    },
    { type: 'MessageDelivered', data: { ...attempt(3), signed, status: 204 } },
  ]),
  // Version 2 of both: with how the call was signed.
  scenario(webhookQueueCategory, 'we_golden.pay_signed', [
    queued(2),
    queued(4, 2),
    {
      type: 'DeliveryFailed',
      data: { ...attempt(2), signed, fault: 'no answer within 10 s', nextAttemptAt: AT + 5_000 },
    },
    { type: 'MessageDelivered', data: { ...attempt(4), signed, status: 200, body: AWKWARD_TEXT } },
  ]),
];
