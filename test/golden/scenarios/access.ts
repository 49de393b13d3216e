// Stores, accounts, keys, idempotency and connections.
import { accountCategory } from '../../../src/domain/account.ts';
import { apiKeyCategory } from '../../../src/domain/api-key.ts';
import { type CheckpointMade, checkpointCategory } from '../../../src/domain/checkpoint.ts';
import { connectionCategory } from '../../../src/domain/connection.ts';
import { idempotencyCategory } from '../../../src/domain/idempotency.ts';
import { storeCategory } from '../../../src/domain/store.ts';
import { AWKWARD_TEXT, MAX } from './awkward.ts';
import { AT, type Scenario, scenario } from './scenario.ts';

const DAY_MS = 86_400_000;

const claim = {
  fingerprint: 'f'.repeat(64),
  operationId: 'op_1',
  operation: 'authorize-payment',
  resourceId: 'pay_1',
  targetRevision: -1,
  claimedAt: AT,
  expiresAt: AT + 30 * DAY_MS,
};

const checkpoint: CheckpointMade = {
  format: 'counterfoil-checkpoint-1',
  storeId: '00000000-0000-4000-8000-000000000000',
  treeSize: 2,
  root: 'a'.repeat(64),
  position: String(MAX),
  madeAt: '2026-11-28T01:00:00.000Z',
  publicKey: 'k'.repeat(43),
  signature: 's'.repeat(86),
  edge: ['a'.repeat(64)],
  last: { stream: 'store-0', revision: 1 },
};

export const accessScenarios: readonly Scenario[] = [
  scenario(storeCategory, '0', [
    { type: 'StoreCreated', data: { mode: 'test', wrappedStoreKey: 'v1.first', createdAt: AT, eventSchema: 2 } },
    { type: 'StoreKeyRewrapped', data: { wrappedStoreKey: 'v1.second' } },
    { type: 'BusinessClockMoved', data: { byMs: 1, offsetMs: 1 } },
    { type: 'BusinessClockMoved', data: { byMs: MAX - 1, offsetMs: MAX } },
  ]),
  scenario(checkpointCategory, '0', [
    { type: 'CheckpointMade', data: checkpoint },
    {
      type: 'CheckpointMade',
      data: {
        ...checkpoint,
        treeSize: 3,
        extends: { treeSize: 2, root: 'a'.repeat(64), path: ['b'.repeat(64)] },
        edge: ['c'.repeat(64), 'd'.repeat(64)],
        last: { stream: 'payment-pay_golden', revision: MAX },
      },
    },
  ]),
  scenario(accountCategory, 'acc_golden_2', [{ type: 'AccountCreated', data: { name: AWKWARD_TEXT, operator: null } }]),
  scenario(accountCategory, 'acc_framed_2', [
    { type: 'AccountCreated', data: { name: 'Shop', operator: null } },
    { type: 'AllowedOriginsSet', data: { origins: ['https://shop.example', 'http://localhost:3000'] } },
    { type: 'AllowedOriginsSet', data: { origins: [] } },
  ]),
  scenario(accountCategory, 'acc_routed', [
    { type: 'AccountCreated', data: { name: 'Shop', operator: null } },
    {
      type: 'RoutingSet',
      data: {
        version: 1,
        rules: {
          rules: [
            {
              name: AWKWARD_TEXT,
              when: {
                currencyCode: ['EUR'],
                amount: { gte: 0, lt: MAX },
                methodType: ['PAYMENT_CARD'],
                network: ['VISA', 'a-network-that-is-gone'],
                initiator: ['customer'],
                metadata: { tier: ['gold', 1, true] },
              },
              use: [
                { connection: 'sandbox', weight: 90 },
                { connection: 'second', weight: 10 },
              ],
              then: ['second'],
            },
          ],
          default: { use: [{ connection: 'sandbox', weight: 1 }], then: [] },
          fallbackOn: ['NOT_SENT', 'SOFT'],
          never: ['SUSPECTED_FRAUD'],
          mostAttempts: 2,
        },
        connections: [
          { name: 'sandbox', connectionId: 'sandbox', processor: 'sandbox' },
          { name: 'second', connectionId: 'con_golden', processor: 'sandbox' },
        ],
      },
    },
    {
      type: 'RoutingSet',
      data: {
        version: 2,
        rules: {
          rules: [],
          default: { use: [{ connection: 'sandbox', weight: 1 }], then: [] },
          fallbackOn: [],
          never: [],
          mostAttempts: 1,
        },
        connections: [{ name: 'sandbox', connectionId: 'sandbox', processor: 'sandbox' }],
      },
    },
  ]),
  scenario(accountCategory, 'acc_unrouted', [
    { type: 'AccountCreated', data: { name: 'Shop', operator: null } },
    {
      type: 'RoutingSet',
      data: {
        version: 1,
        rules: {
          rules: [],
          default: { use: [{ connection: 'sandbox', weight: 1 }], then: [] },
          fallbackOn: [],
          never: [],
          mostAttempts: 1,
        },
        connections: [{ name: 'sandbox', connectionId: 'sandbox', processor: 'sandbox' }],
      },
    },
    { type: 'RoutingCleared', data: { version: 2 } },
  ]),
  scenario(accountCategory, 'acc_unnamed_2', [{ type: 'AccountCreated', data: { name: '', operator: null } }]),
  scenario(accountCategory, 'acc_operator', [{ type: 'AccountCreated', data: { name: 'Operations', operator: true } }]),
  scenario(accountCategory, 'acc_tenant', [{ type: 'AccountCreated', data: { name: 'Tenant', operator: false } }]),
  scenario(apiKeyCategory, 'key_golden', [
    {
      type: 'ApiKeyCreated',
      data: {
        accountId: 'acc_golden',
        name: AWKWARD_TEXT,
        scopes: ['transactions:authorize', 'a:scope-that-is-gone'],
        secretHash: 'first',
        expiresAt: AT + DAY_MS,
        createdAt: AT,
        purpose: 'merchant',
      },
    },
    { type: 'ApiKeyScopesChanged', data: { scopes: [] } },
    { type: 'ApiKeyRotated', data: { secretHash: 'second', previousExpiresAt: AT + 1 } },
    { type: 'ApiKeyRevoked', data: {} },
  ]),
  scenario(apiKeyCategory, 'key_sandbox', [
    {
      type: 'ApiKeyCreated',
      data: { accountId: 'acc_golden', name: '', scopes: [], secretHash: 'first', createdAt: AT, purpose: 'sandbox' },
    },
  ]),
  scenario(apiKeyCategory, 'key_webhooks', [
    {
      type: 'ApiKeyCreated',
      data: {
        accountId: 'acc_golden',
        name: 'webhooks',
        scopes: [],
        secretHash: 'first',
        createdAt: AT,
        purpose: 'merchant',
      },
    },
    { type: 'IncomingWebhookAdded', data: { webhookId: 'wh_1', processor: 'acquirer', tokenHash: 'one' } },
    { type: 'IncomingWebhookAdded', data: { webhookId: 'wh_2', processor: '', tokenHash: 'two' } },
    { type: 'IncomingWebhookRevoked', data: { webhookId: 'wh_1' } },
  ]),
  scenario(idempotencyCategory, 'held_2', [{ type: 'IdempotencyClaimed', data: claim }]),
  scenario(idempotencyCategory, 'released_2', [
    { type: 'IdempotencyClaimed', data: claim },
    { type: 'IdempotencyReleased', data: { operationId: 'op_of_another' } },
    { type: 'IdempotencyReleased', data: { operationId: 'op_1' } },
  ]),
  scenario(idempotencyCategory, 'abandoned_2', [
    { type: 'IdempotencyClaimed', data: { ...claim, targetRevision: MAX } },
    { type: 'IdempotencyReleased', data: { operationId: 'op_1', abandoned: true } },
  ]),
  scenario(connectionCategory, 'con_golden', [
    {
      type: 'ConnectionCreated',
      data: {
        accountId: 'acc_golden',
        processor: 'acquirer',
        name: AWKWARD_TEXT,
        secrets: { apiKey: 'env:ACQUIRER_KEY', webhook: 'file:/run/secrets/webhook' },
        createdAt: AT,
      },
    },
    { type: 'ConnectionChanged', data: { name: '' } },
    { type: 'ConnectionChanged', data: { secrets: { constructor: 'env:NAMED_LIKE_A_METHOD' } } },
    { type: 'ConnectionDisabled', data: {} },
  ]),
  scenario(connectionCategory, 'con_stripe', [
    {
      type: 'ConnectionCreated',
      data: {
        accountId: 'acc_golden',
        processor: 'stripe',
        name: 'eu',
        secrets: { secretKey: 'env:STRIPE_KEY' },
        createdAt: AT,
        webhookKeyId: 'key_golden',
        publishableKey: 'pk_test_golden',
        apiUrl: 'http://127.0.0.1:12111',
      },
    },
    {
      type: 'ConnectionChanged',
      data: { secrets: { secretKey: 'env:STRIPE_KEY', webhookSecret: 'env:HOOK' }, publishableKey: 'pk_test_next' },
    },
  ]),
  scenario(connectionCategory, 'con_proven', [
    {
      type: 'ConnectionCreated',
      data: { accountId: 'acc_golden', processor: 'stripe', name: 'us', secrets: {}, createdAt: AT },
    },
    { type: 'ConnectionChanged', data: { burnProven: 'stripe' } },
    { type: 'ConnectionChanged', data: { burnProven: null } },
    { type: 'ConnectionChanged', data: { burnProven: 'http://127.0.0.1:12111' } },
  ]),
  scenario(connectionCategory, 'con_swept', [
    {
      type: 'ConnectionCreated',
      data: { accountId: 'acc_golden', processor: 'stripe', name: 'swept', secrets: {}, createdAt: AT },
    },
    { type: 'EventsSwept', data: { until: AT } },
  ]),
];
