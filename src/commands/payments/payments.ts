// Payments as a subject: what callers, operators and policies do to one.
import type { House } from '../house.ts';
import { authorizeCheckoutPayment, authorizePayment } from './authorize-payment.ts';
import { adjustAuthorization, cancelPayment, capturePayment, refundPayment } from './change-payment.ts';
import { makeDueWork } from './due-work.ts';
import { resolvePayment } from './resolve-payment.ts';

export type Payments = ReturnType<typeof makePayments>;

export const makePayments = (needs: House) => ({
  authorizePayment: authorizePayment(needs),
  authorizeCheckoutPayment: authorizeCheckoutPayment(needs),
  capturePayment: capturePayment(needs),
  cancelPayment: cancelPayment(needs),
  refundPayment: refundPayment(needs),
  adjustAuthorization: adjustAuthorization(needs),
  resolvePayment: resolvePayment(needs),
  ...makeDueWork(needs),
});
