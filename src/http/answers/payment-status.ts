// The shapes of a payment's status and its reason (contract §4); the reason's words are in
// src/domain/payment/status-reason.ts.
import { z } from 'zod';
import { REASON_WORDS, Reason, ReasonType } from '../../domain/payment/outcome.ts';
import { PAYMENT_STATUS_WORDS, paymentStatuses } from '../../domain/payment/payment.ts';
import { valuesIn } from './values.ts';

export const PaymentStatusName = z
  .enum(paymentStatuses)
  .meta({ id: 'PaymentStatus', ...valuesIn(PAYMENT_STATUS_WORDS) });
export const StatusReasonAnswer = Reason.extend({
  type: ReasonType.meta({ description: 'The kind of reason; new ones may be added.', ...valuesIn(REASON_WORDS) }),
}).meta({ id: 'StatusReason' });
