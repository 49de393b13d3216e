// Decisions that put an erasure on record, each in a stream that holds personal data of the customer.
import type { ClientSessionEvent } from './client-session/events.ts';
import type { ClientSession } from './client-session/state.ts';
import type { CustomerWalletEvent } from './customer-wallet/events.ts';
import type { CustomerWallet } from './customer-wallet/state.ts';
import { accept, type Decision } from './decider.ts';
import type { NotificationEvent } from './notification/events.ts';
import type { Notification } from './notification/state.ts';
import type { PaymentEvent } from './payment/events.ts';
import type { Payment } from './payment/payment.ts';
import { isKnown } from './payment/queries.ts';
import { holdsPerson } from './payment/state.ts';
import type { PaymentInstrumentEvent } from './payment-instrument/events.ts';
import { namesHolder } from './payment-instrument/recorded-data.ts';
import type { PaymentInstrument } from './payment-instrument/state.ts';
import type { PaymentNoteEvent } from './payment-note/events.ts';
import type { PaymentNotes } from './payment-note/state.ts';

const erased = (erasedAt: number) => ({ type: 'CustomerErased' as const, data: { erasedAt } });

/** Each decides nothing for a stream without personal data. `at`: ms. */
export const eraseSession =
  (at: number) =>
  (session: ClientSession): Decision<ClientSessionEvent> =>
    session.status !== 'absent' && session.fields.customer !== undefined ? accept(erased(at)) : accept();

export const erasePayment =
  (at: number) =>
  (payment: Payment): Decision<PaymentEvent> =>
    isKnown(payment) && holdsPerson(payment) ? accept(erased(at)) : accept();

export const eraseNotes =
  (at: number) =>
  ({ notes }: PaymentNotes): Decision<PaymentNoteEvent> =>
    notes.length > 0 ? accept(erased(at)) : accept();

export const eraseInstrument =
  (at: number) =>
  (instrument: PaymentInstrument): Decision<PaymentInstrumentEvent> =>
    instrument.status !== 'absent' &&
    (namesHolder(instrument.paymentMethodData) || instrument.vault?.description !== undefined)
      ? accept(erased(at))
      : accept();

export const eraseWallet =
  (at: number) =>
  (wallet: CustomerWallet): Decision<CustomerWalletEvent> =>
    wallet.status !== 'absent' &&
    wallet.instruments.some(
      ({ paymentMethodData, description }) => namesHolder(paymentMethodData) || description !== undefined,
    )
      ? accept(erased(at))
      : accept();

export const eraseNotification =
  (at: number) =>
  (notification: Notification): Decision<NotificationEvent> =>
    notification.status !== 'absent' && notification.raw !== '' ? accept(erased(at)) : accept();
