// How a payment stands and why, by the public names (contract §4).
import { z } from 'zod';
import { Reason } from '../../domain/payment/outcome.ts';
import { paymentStatuses } from '../../domain/payment/payment.ts';

export const PaymentStatusName = z.enum(paymentStatuses).meta({ id: 'PaymentStatus' });
export const StatusReasonAnswer = Reason.meta({ id: 'StatusReason' });
