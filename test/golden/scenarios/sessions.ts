// Client sessions.
import { clientSessionCategory } from '../../../src/domain/client-session/events.ts';
import { AWKWARD_NAMES, AWKWARD_TEXT, DEEP, LARGE, MAX } from './awkward.ts';
import { AT, type Scenario, scenario } from './scenario.ts';

const DAY_MS = 86_400_000;
const expiry = (tokenExpiresAt: number) => ({ tokenExpiresAt, sessionExpiresAt: tokenExpiresAt + 30 * DAY_MS });
const created = { accountId: 'acc_golden', createdAt: AT, ...expiry(AT + DAY_MS) };

/** Every member there is, with values that today's rules of requests refuse among them. */
const everything = {
  orderId: '',
  customerId: AWKWARD_TEXT,
  currencyCode: 'DEM',
  amount: MAX,
  returnUrl: 'no url',
  metadata: AWKWARD_NAMES,
  customer: {
    emailAddress: 'no at sign',
    mobileNumber: 'x'.repeat(1_000),
    firstName: AWKWARD_TEXT,
    lastName: '',
    taxId: '0',
    nationalDocumentId: '-',
    billingAddress: {
      firstName: '',
      lastName: '',
      addressLine1: '',
      addressLine2: '',
      city: 'São',
      state: '',
      postalCode: '',
      countryCode: 'DD',
    },
    shippingAddress: { countryCode: '' },
  },
  order: {
    countryCode: 'SU',
    retailerCountryCode: '',
    lineItems: [
      {
        amount: MAX,
        quantity: 1_000_001,
        discountAmount: 0,
        taxAmount: 0.5,
        itemId: '',
        name: AWKWARD_TEXT,
        description: '',
        taxCode: '',
        productType: 'SERVICE',
        productData: {
          sku: '',
          brand: '',
          color: '',
          globalTradeItemNumber: '',
          manufacturerPartNumber: '',
          weight: -1,
          weightUnit: 'stone',
          pageUrl: 'x'.repeat(2_000),
        },
      },
      { amount: 0 },
    ],
    fees: [{ amount: 1, type: '', description: AWKWARD_TEXT }, { amount: 0 }],
    shipping: { amount: 0, methodId: '', methodName: '', methodDescription: '' },
  },
  paymentMethod: {
    vaultOnSuccess: true,
    captureMode: 'AUTOMATIC' as const,
    descriptor: '',
    paymentType: 'SUBSCRIPTION' as const,
    orderedAllowedCardNetworks: ['AMEX' as const, 'VISA' as const, 'AMEX' as const],
    authorizationType: 'ESTIMATED' as const,
    options: { PAYMENT_CARD: AWKWARD_NAMES },
  },
};

export const sessionScenarios: readonly Scenario[] = [
  scenario(clientSessionCategory, 'cs_empty', [{ type: 'ClientSessionCreated', data: { ...created, fields: {} } }]),
  scenario(clientSessionCategory, 'cs_everything', [
    { type: 'ClientSessionCreated', data: { ...created, fields: everything } },
    { type: 'ClientSessionUpdated', data: { set: { metadata: LARGE, amount: 0 }, cleared: ['customer', 'order'] } },
    {
      type: 'ClientSessionUpdated',
      data: { set: { metadata: DEEP, order: { lineItems: [] } }, cleared: ['orderId', 'amount'] },
    },
    { type: 'ClientTokenIssued', data: { tokenIssuedAt: AT + DAY_MS, ...expiry(AT + 2 * DAY_MS) } },
    {
      type: 'ClientSessionClaimed',
      data: { paymentId: 'pay_1', claimedAt: AT + DAY_MS, abandonAfter: AT + DAY_MS + 60_000 },
    },
    { type: 'ClientSessionReleased', data: { paymentId: 'pay_of_another' } },
  ]),
  ...(['encrypted', 'erased'] as const).map((key) =>
    scenario(
      clientSessionCategory,
      `cs_${key}`,
      [
        { type: 'ClientSessionCreated', data: { ...created, fields: everything } },
        { type: 'ClientSessionUpdated', data: { set: { customer: { firstName: 'Ada' } }, cleared: [] } },
        ...(key === 'erased' ? [{ type: 'CustomerErased' as const, data: { erasedAt: AT } }] : []),
      ],
      `${key}-1`,
    ),
  ),
  scenario(clientSessionCategory, 'cs_expired', [
    {
      type: 'ClientSessionCreated',
      data: { ...created, fields: { orderId: AWKWARD_TEXT, amount: 1, currencyCode: 'EUR' } },
    },
    { type: 'ClientSessionClaimed', data: { paymentId: 'pay_1', claimedAt: AT, abandonAfter: AT + 60_000 } },
    { type: 'ClientSessionReleased', data: { paymentId: 'pay_1' } },
    { type: 'ClientSessionExpired', data: { expiredAt: AT + 31 * DAY_MS } },
  ]),
  scenario(clientSessionCategory, 'cs_agreed', [
    {
      type: 'ClientSessionCreated',
      data: {
        ...created,
        fields: {
          customerId: 'customer-golden',
          agreement: {
            kind: 'INSTALLMENT',
            terms: {
              amountRule: 'MAXIMUM',
              amount: 1_900,
              currencyCode: 'EUR',
              frequency: 'WEEK',
              interval: 2,
              count: 3,
              startsAt: '2026-03-01T00:00:00Z',
              endsAt: '2026-12-01T00:00:00Z',
              description: 'A sofa in three parts',
            },
            retry: { policy: 'DAYS', days: [1] },
            metadata: { plan: 'sofa' },
          },
        },
      },
    },
    {
      type: 'ClientSessionAgreed',
      data: {
        agreementId: 'agr_checkout',
        agreedAt: AT + 1_000,
        language: 'fr',
        shownText: 'J’accepte que …',
        textDigest: 'ab'.repeat(32),
        ipAddress: '203.0.113.7',
        userAgent: 'Mozilla/5.0',
      },
    },
  ]),
  scenario(clientSessionCategory, 'cs_renewing', [
    {
      type: 'ClientSessionCreated',
      data: { ...created, fields: { customerId: 'customer-golden', agreementId: 'agr_golden' } },
    },
  ]),
];
