// The mistakes that the client's types refuse. This file is compiled and never run: below `@ts-expect-error`, a line
// that compiles fails `npm run check`.
import { Counterfoil } from '../../client/src/counterfoil.ts';
import { CounterfoilError } from '../../client/src/errors.ts';
import { signTestWebhook } from '../../client/src/sign-webhook.ts';
import type { ErrorId, KnownErrorId } from '../../client/src/types.ts';
import { verifyWebhook } from '../../client/src/verify-webhook.ts';

export async function refusedByTheCompiler(client: Counterfoil): Promise<void> {
  // @ts-expect-error a client without a key
  new Counterfoil({ baseUrl: 'http://localhost:4000' });
  // @ts-expect-error a member that the API does not know
  await client.clientSessions.create({ orderNumber: 'o-1' });
  // @ts-expect-error an unknown currency
  await client.clientSessions.create({ currencyCode: 'EURO' });
  // @ts-expect-error an amount as text
  await client.clientSessions.create({ amount: '10.00' });
  // Null counts as absent if a session is created, and clears a field in a change.
  await client.clientSessions.create({ orderId: null, customer: { firstName: null } });
  // @ts-expect-error a required member cannot be null
  await client.clientSessions.create({ order: { fees: [{ amount: null }] } });
  await client.clientSessions.update('token', { orderId: null });
  // @ts-expect-error the token is the first argument
  await client.clientSessions.update('token', { clientToken: 'another' });
  // @ts-expect-error a payment needs a token of a payment method
  await client.payments.authorize({ clientToken: 'token' });
  // @ts-expect-error an adjustment needs its new total
  await client.payments.adjustAuthorization('pay_1', {});
  // @ts-expect-error a read changes nothing, so it has no idempotency key
  await client.payments.get('pay_1', { idempotencyKey: 'key' });
  // @ts-expect-error a capture is not conditional
  await client.payments.capture('pay_1', {}, { ifMatch: '"1"' });
  // @ts-expect-error the cursor is the list's own
  client.payments.list({ cursor: 'abc' });
  // @ts-expect-error an unknown filter
  client.payments.list({ orderId: ['o-1'] });
  // @ts-expect-error a status that is not a filter
  client.payments.list({ status: ['PAID'] });
  // @ts-expect-error instruments are listed for one customer
  client.instruments.list({});

  const payment = await client.payments.get('pay_1');
  // @ts-expect-error an answer is not written to
  payment.amount = 1;
  // @ts-expect-error a message is there only when its signature is verified, so it is awaited
  verifyWebhook('', {}, '').payment;
  // Enumerations of answers are open: a comparison with a value that is new has to compile.
  if (payment.status === 'ON_THE_MOON') return;
  const closed: (status: 'PENDING' | 'AUTHORIZED') => void = () => undefined;
  // @ts-expect-error for the same reason a status is not a closed union
  closed(payment.status);

  const { paymentMethod } = payment;
  // @ts-expect-error the data are those of a card, of a bank account or of none
  paymentMethod.paymentMethodData.last4Digits;
  if (paymentMethod.paymentMethodType === 'PAYMENT_CARD') {
    const digits: string = paymentMethod.paymentMethodData.last4Digits;
    // @ts-expect-error a card has no IBAN
    paymentMethod.paymentMethodData.ibanLast4;
    void digits;
  }
  switch (payment.paymentMethod.paymentMethodType) {
    case 'SEPA_DEBIT': {
      const iban: string | undefined = payment.paymentMethod.paymentMethodData?.ibanLast4;
      // @ts-expect-error nothing may be known of an account
      payment.paymentMethod.paymentMethodData.ibanLast4;
      void iban;
      break;
    }
    // A type that is new has to compile.
    case 'CARRIER_PIGEON':
      break;
    default:
      payment.paymentMethod.paymentMethodType.toLowerCase();
  }
  for await (const { paymentMethod: of } of client.payments.list())
    if (of.paymentMethodType === 'PAYMENT_CARD') of.paymentMethodData.last4Digits.at(0);
  const instrument = await client.instruments.get('token');
  if (instrument.paymentMethodType === 'PAYMENT_CARD') instrument.paymentMethodData.last4Digits.at(0);

  await signTestWebhook({ payment: { id: 'pay_1', status: 'SETTLED' } }, 'whsec_');
  // @ts-expect-error a message is about a payment
  await signTestWebhook({ eventType: 'PAYMENT.STATUS' }, 'whsec_');

  const fault: unknown = undefined;
  if (CounterfoilError.is(fault, 'NotFound', 'Conflict')) {
    const errorId: 'NotFound' | 'Conflict' = fault.errorId;
    // @ts-expect-error it is one of the two
    const other: 'Unauthorized' = fault.errorId;
    void [errorId, other];
  }
  // @ts-expect-error an id that this version does not know: compare `errorId` itself
  CounterfoilError.is(fault, 'NotFoundd');
  const unknown: ErrorId = 'OfALaterVersion';
  // @ts-expect-error the known ones are a closed union
  const known: KnownErrorId = unknown;
  void known;
}
