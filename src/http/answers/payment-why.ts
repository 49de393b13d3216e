// GET /payments/{id}/why: the causal chain of a payment, step by step, each with the event that led to it
// (contract §4).
import { z } from 'zod';
import type { PaymentWhy } from '../../queries/read-payment-why.ts';
import { PaymentStatusName } from './payment-status.ts';
import { PaymentWhyStep, paymentWhyStep } from './payment-why-step.ts';

/** Without `nextCursor` there are no more. */
export const PaymentWhyAnswer = z
  .strictObject({
    id: z.string(),
    status: PaymentStatusName,
    version: z.int().min(0),
    data: z.array(PaymentWhyStep),
    nextCursor: z.string().optional(),
  })
  .meta({ id: 'PaymentWhy' });
export type PaymentWhyAnswer = z.infer<typeof PaymentWhyAnswer>;

/** `names`: of other actors than API keys, by id. */
export function paymentWhyAnswer(why: PaymentWhy, nextCursor?: string): PaymentWhyAnswer {
  const { payment, steps, known, names } = why;
  return {
    id: payment.id,
    status: payment.doc.status,
    version: payment.revision,
    data: steps.map((step) => paymentWhyStep(step, known, names)),
    ...(nextCursor !== undefined && { nextCursor }),
  };
}
