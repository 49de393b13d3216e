// Decisions that put an erasure on record, each in a stream that holds personal data of the customer.
import type { AgreementEvent } from './agreement/events.ts';
import { type Agreement, isFinalAgreement } from './agreement/state.ts';
import type { ClientSessionEvent } from './client-session/events.ts';
import type { ClientSession, OpenSession } from './client-session/state.ts';
import type { CustomerWallet, CustomerWalletEvent } from './customer-wallet.ts';
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
import type { PaymentNoteEvent, PaymentNotes } from './payment-note.ts';

const erased = (erasedAt: number) => ({ type: 'CustomerErased' as const, data: { erasedAt } });

/**
 * Each decides nothing for a stream without personal data, unless that came late: under a key that was destroyed, so
 * that the log does not show it, and a document may. `at`: ms.
 */
export const eraseSession =
  (at: number, isLate = false) =>
  (session: ClientSession): Decision<ClientSessionEvent> =>
    session.status !== 'absent' && (isLate || holdsCustomer(session)) ? accept(erased(at)) : accept();

const holdsCustomer = ({ fields, agreed }: OpenSession): boolean =>
  fields.customer !== undefined || agreed?.ipAddress !== undefined || agreed?.userAgent !== undefined;

export const erasePayment =
  (at: number, isLate = false) =>
  (payment: Payment): Decision<PaymentEvent> =>
    isKnown(payment) && (isLate || holdsPerson(payment)) ? accept(erased(at)) : accept();

export const eraseNotes =
  (at: number, isLate = false) =>
  ({ notes }: PaymentNotes): Decision<PaymentNoteEvent> =>
    isLate || notes.length > 0 ? accept(erased(at)) : accept();

export const eraseInstrument =
  (at: number, isLate = false) =>
  (instrument: PaymentInstrument): Decision<PaymentInstrumentEvent> =>
    instrument.status !== 'absent' &&
    (isLate || namesHolder(instrument.paymentMethodData) || instrument.vault?.description !== undefined)
      ? accept(erased(at))
      : accept();

export const eraseWallet =
  (at: number, isLate = false) =>
  (wallet: CustomerWallet): Decision<CustomerWalletEvent> =>
    wallet.status !== 'absent' &&
    (isLate ||
      wallet.instruments.some(
        ({ paymentMethodData, description }) => namesHolder(paymentMethodData) || description !== undefined,
      ))
      ? accept(erased(at))
      : accept();

export const eraseNotification =
  (at: number, isLate = false) =>
  (notification: Notification): Decision<NotificationEvent> =>
    notification.status !== 'absent' && (isLate || notification.raw !== '') ? accept(erased(at)) : accept();

/** An agreement with an erased customer is over as well: nobody is left who could be charged. */
export const eraseAgreement =
  (at: number, isLate = false) =>
  (agreement: Agreement): Decision<AgreementEvent> => {
    if (agreement.status === 'absent') return accept();
    const { ipAddress, userAgent } = agreement.consent;
    const isPersonal = isLate || ipAddress !== undefined || userAgent !== undefined;
    return accept<AgreementEvent>(
      ...(isPersonal ? [erased(at)] : []),
      ...(isFinalAgreement(agreement)
        ? []
        : [{ type: 'AgreementRevoked' as const, data: { source: 'erasure' as const } }]),
    );
  };
