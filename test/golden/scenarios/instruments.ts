// Payment instruments and customers' wallets.
import { customerWalletCategory } from '../../../src/domain/customer-wallet.ts';
import { paymentInstrumentCategory } from '../../../src/domain/payment-instrument/events.ts';
import { AWKWARD_TEXT } from './awkward.ts';
import { AT, type Scenario, scenario } from './scenario.ts';

const card = {
  network: 'VISA' as const,
  first6Digits: '424242',
  last4Digits: '4242',
  expirationMonth: '12',
  expirationYear: '2030',
  cardholderName: AWKWARD_TEXT,
};
const atProcessor = {
  processor: 'sandbox',
  connectionId: 'sandbox',
  processorToken: 'tok_1',
  paymentMethodType: 'PAYMENT_CARD' as const,
};
const tokenized = {
  type: 'InstrumentTokenized' as const,
  data: {
    accountId: 'acc_golden',
    sessionId: 'cs_everything',
    ...atProcessor,
    paymentMethodData: card,
    fingerprint: 'f'.repeat(64),
    createdAt: AT,
    expiresAt: AT + 86_400_000,
  },
};
const vaulting = {
  type: 'VaultingRequested' as const,
  data: { customerId: AWKWARD_TEXT, walletId: 'wal_golden', description: '', requestedAt: AT },
};

const added = (token: string, fingerprint: string) => ({
  type: 'InstrumentAdded' as const,
  data: {
    accountId: 'acc_golden',
    customerId: AWKWARD_TEXT,
    token,
    fingerprint,
    ...atProcessor,
    paymentMethodData: { ...card, network: 'OTHER' as const, cardholderName: '' },
    description: AWKWARD_TEXT,
    createdAt: AT,
    addedAt: AT + 1,
  },
});

export const instrumentScenarios: readonly Scenario[] = [
  scenario(paymentInstrumentCategory, 'pm_paid', [
    tokenized,
    { type: 'InstrumentClaimed', data: { paymentId: 'pay_0', claimedAt: AT, abandonAfter: AT + 60_000 } },
    { type: 'InstrumentReleased', data: { paymentId: 'pay_of_another' } },
    { type: 'InstrumentReleased', data: { paymentId: 'pay_0' } },
    { type: 'InstrumentClaimed', data: { paymentId: 'pay_1', claimedAt: AT + 1, abandonAfter: AT + 60_001 } },
  ]),
  scenario(paymentInstrumentCategory, 'pm_vaulted', [
    tokenized,
    vaulting,
    { type: 'InstrumentVaulted', data: { vaultedAt: AT + 1, walletRevision: 0 } },
    { type: 'InstrumentDeleted', data: { deletedAt: AT + 2 } },
  ]),
  scenario(
    paymentInstrumentCategory,
    'pm_erased',
    [tokenized, vaulting, { type: 'CustomerErased', data: { erasedAt: AT + 2 } }],
    'erased-1',
  ),
  scenario(paymentInstrumentCategory, 'pm_encrypted', [tokenized, vaulting], 'encrypted-1'),
  scenario(paymentInstrumentCategory, 'pm_merged', [
    tokenized,
    vaulting,
    { type: 'InstrumentMerged', data: { into: 'pm_vaulted', walletRevision: 3 } },
  ]),
  scenario(paymentInstrumentCategory, 'pm_expired', [
    {
      ...tokenized,
      data: {
        ...tokenized.data,
        paymentMethodData: { ...card, first6Digits: '', last4Digits: '', expirationMonth: '13' },
      },
    },
    { type: 'InstrumentExpired', data: { expiredAt: AT + 86_400_000 } },
  ]),
  scenario(paymentInstrumentCategory, 'pm_of_fields', [{ ...tokenized, data: { ...tokenized.data, paysOnce: true } }]),
  scenario(paymentInstrumentCategory, 'pm_at_two_connections', [
    tokenized,
    {
      type: 'InstrumentTokenAdded',
      data: { connectionId: 'con_golden', processor: 'sandbox', processorToken: 'tok_2' },
    },
    { type: 'InstrumentClaimed', data: { paymentId: 'pay_routed', claimedAt: AT, abandonAfter: AT + 60_000 } },
  ]),
  scenario(paymentInstrumentCategory, 'pm_entered_again', [
    tokenized,
    {
      type: 'InstrumentTokenAdded',
      data: { connectionId: 'con_golden', processor: 'sandbox', processorToken: 'tok_2' },
    },
    vaulting,
    { type: 'InstrumentVaulted', data: { vaultedAt: AT + 1, walletRevision: 0 } },
    {
      type: 'InstrumentTokenAdded',
      data: { connectionId: 'con_golden', processor: 'sandbox', processorToken: 'tok_3' },
    },
  ]),
  scenario(paymentInstrumentCategory, 'pm_reissued', [
    tokenized,
    vaulting,
    { type: 'InstrumentVaulted', data: { vaultedAt: AT + 1, walletRevision: 0 } },
    {
      type: 'InstrumentUpdated',
      data: {
        notificationId: 'evt_1',
        occurredAt: AT + 2,
        source: 'updater',
        card: { last4Digits: '1111', expirationMonth: '12', expirationYear: '2049' },
        fingerprint: 'e'.repeat(64),
      },
    },
    {
      type: 'InstrumentClosed',
      data: { notificationId: 'evt_2', occurredAt: AT + 3, source: 'updater', closedAt: AT + 4 },
    },
  ]),
  scenario(customerWalletCategory, 'wal_reissued', [
    added('pm_1', 'one'),
    { type: 'DefaultInstrumentChanged', data: { token: 'pm_1' } },
    {
      type: 'InstrumentRefreshed',
      data: {
        token: 'pm_1',
        processorToken: 'tok_1',
        paymentMethodData: { ...card, last4Digits: '1111', expirationYear: '2049' },
        fingerprint: 'new',
      },
    },
    { type: 'InstrumentClosed', data: { token: 'pm_1', closedAt: AT + 5 } },
  ]),
  scenario(customerWalletCategory, 'wal_golden', [
    added('pm_1', 'one'),
    { type: 'DefaultInstrumentChanged', data: { token: 'pm_1' } },
    added('pm_2', 'two'),
    {
      type: 'InstrumentRefreshed',
      data: { token: 'pm_1', processorToken: 'tok_2', paymentMethodData: { ...card, expirationYear: '2035' } },
    },
    { type: 'InstrumentRemoved', data: { token: 'pm_1', deletedAt: AT + 5 } },
    { type: 'DefaultInstrumentChanged', data: { token: 'pm_2' } },
  ]),
];
