// The operations of /openapi.json: the name that generated clients call each one by, and a body that works as it stands.

export interface OperationWords {
  readonly id: string;
  /** For operations with a JSON body; tokens in it are of the caller's own session. */
  readonly example?: object;
}

const TOKENS = {
  clientToken: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJjc18xIn0.c2lnbmF0dXJl',
  paymentMethodToken: 'pm_3nQX7bM2tGzKc9RwVfYhJe',
};
const { clientToken, paymentMethodToken } = TOKENS;
const ORDER = { lineItems: [{ itemId: 'shirt', name: 'A shirt', amount: 2_500, quantity: 2 }], shipping: { amount: 490 } };
const CARD = { number: '4242424242424242', expirationMonth: '12', expirationYear: '2030', cvc: '123', cardholderName: 'Ada Lovelace' };

const resumeToken = 'res_9f2c41d0a7b35e6840c1d2e3f4a5b6c7d8e9f00112233445566778899aabbccd';

const NOTIFICATION = {
  notificationId: 'note-1',
  type: 'authorization.succeeded',
  occurredAt: '2026-01-01T12:00:00.000Z',
  reference: 'pay_3nQX7bM2tGzKc9RwVfYhJe.a1',
  processorTransactionId: 'sbx_1',
  amount: 5_490,
  currencyCode: 'EUR',
};

/** By `METHOD /path` as the routes have them; every route has a line. */
export const OPERATIONS: { readonly [route: string]: OperationWords } = {
  'POST /client-session': {
    id: 'createClientSession',
    example: { orderId: 'order-1', currencyCode: 'EUR', customerId: 'customer-1', order: ORDER },
  },
  'PATCH /client-session': {
    id: 'updateClientSession',
    example: { clientToken, customer: { emailAddress: 'ada@example.org' }, metadata: { basket: 7 } },
  },
  'GET /client-session': { id: 'getClientSession' },
  'POST /client-session/client-token': { id: 'createClientToken', example: { clientToken } },
  'POST /payments': { id: 'authorizePayment', example: { clientToken, paymentMethodToken, paymentMethod: { captureMode: 'MANUAL' } } },
  'GET /payments': { id: 'listPayments' },
  'GET /payments/:id': { id: 'getPayment' },
  'GET /payments/:id/events': { id: 'listPaymentEvents' },
  'GET /payments/:id/why': { id: 'explainPayment' },
  'GET /events': { id: 'listEvents' },
  'POST /payments/:id/capture': { id: 'capturePayment', example: { amount: 10, final: false } },
  'POST /payments/:id/cancel': { id: 'cancelPayment', example: { reason: 'out of stock' } },
  'POST /payments/:id/refund': { id: 'refundPayment', example: { amount: 10, orderId: 'refund-1', reason: 'one shirt came back' } },
  'POST /payments/:id/adjust-authorization': { id: 'adjustAuthorization', example: { amount: 1_100 } },
  'POST /payments/:id/resume': { id: 'resumePayment', example: { resumeToken } },
  'POST /payments/:id/disputes/:disputeId/evidence': {
    id: 'submitDisputeEvidence',
    example: { text: 'Delivered on 2 January and signed for.', shippingTrackingNumber: 'RR123456785DE', submit: true },
  },
  'POST /payments/:id/disputes/:disputeId/accept': { id: 'acceptDispute', example: {} },
  'GET /payment-instruments': { id: 'listPaymentInstruments' },
  'GET /payment-instruments/:token': { id: 'getPaymentInstrument' },
  'POST /payment-instruments/:token/vault': {
    id: 'vaultPaymentInstrument',
    example: { customerId: 'customer-1', description: 'the blue card' },
  },
  'POST /payment-instruments/:token/default': { id: 'makePaymentInstrumentDefault', example: {} },
  'DELETE /payment-instruments/:token': { id: 'deletePaymentInstrument' },
  'GET /checkout/session': { id: 'getCheckoutSession' },
  'GET /checkout/payments/:id': { id: 'getCheckoutPayment' },
  'POST /checkout/payment-instruments': { id: 'tokenizeCard', example: { card: CARD } },
  'POST /checkout/payments': { id: 'createCheckoutPayment', example: { paymentMethodToken, shown: { amount: 1000, currencyCode: 'EUR' } } },
  'POST /checkout/payments/:id/resume': { id: 'resumeCheckoutPayment', example: { resumeToken } },
  'POST /checkout/payments/:id/cancel': { id: 'cancelCheckoutPayment', example: {} },
  'GET /sandbox/ledger': { id: 'getSandboxLedger' },
  'GET /sandbox/faults': { id: 'getSandboxFaults' },
  'PUT /sandbox/faults': {
    id: 'replaceSandboxFaults',
    example: { rules: [{ match: { operation: 'capture' }, do: { phase: 'during_reply', fault: 'reset', times: 1 } }] },
  },
  'GET /sandbox/scenarios': { id: 'listSandboxScenarios' },
  'POST /webhooks/:processor': { id: 'receiveNotification', example: NOTIFICATION },
  'POST /webhooks/:processor/:token': { id: 'receiveNotificationByToken', example: NOTIFICATION },
  'GET /health/live': { id: 'getLiveness' },
  'GET /health/ready': { id: 'getReadiness' },
  'GET /openapi.json': { id: 'getOpenApi' },
};
