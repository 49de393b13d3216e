// The shapes of a payment's status and its reason (contract §4); the reason's words are in
// src/domain/payment/status-reason.ts.
import { z } from 'zod';
import { Reason } from '../../domain/payment/outcome.ts';
import { paymentStatuses } from '../../domain/payment/payment.ts';

export const PaymentStatusName = z.enum(paymentStatuses).meta({ id: 'PaymentStatus' });
export const StatusReasonAnswer = Reason.meta({ id: 'StatusReason' });
