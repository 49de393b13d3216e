// All that can be asked of a payment: a function per operation, each in the file of its subject.
export { requestAdjustment } from './adjust.ts';
export { requestCancellation } from './cancel.ts';
export { requestCapture } from './capture.ts';
export { type AttemptTiming, type AuthorizationRoute, abandonPayment, createPayment, recordVaulting } from './create.ts';
export { expireAuthorization, expireHold } from './expire.ts';
export { recordLookUp } from './look-up.ts';
export { acceptOverRefund } from './over-refund.ts';
export { requestRefund } from './refund.ts';
export { type Return, recordReturn } from './return.ts';
export { settleAttempt } from './settle.ts';
export type { Settlement } from './settlement.ts';
