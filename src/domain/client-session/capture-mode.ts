// Whether a payment is captured as soon as it is authorized, and the refusal for callers who may not decide that
// (contract §2).
import { type Rejection, reject } from '../decider.ts';
import type { RecordedPaymentMethod } from './recorded-fields.ts';

export const capturesByItself = (
  paymentMethod: { readonly captureMode?: RecordedPaymentMethod['captureMode'] | null } | null | undefined,
): boolean => paymentMethod?.captureMode === 'AUTOMATIC';

export const captureScopeMissing = (): Rejection =>
  reject('InsufficientScope', 'captureMode AUTOMATIC needs the scope transactions:capture.');
