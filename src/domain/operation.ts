// The operations that a processor is asked for, by name.
import { z } from 'zod';

/** As they are recorded, so the list only grows. */
export const Operation = z.enum(['authorization', 'capture', 'cancellation', 'refund', 'adjustment']);
export type Operation = z.infer<typeof Operation>;

/**
 * The errorId of an operation that the processor refuses at once (contract §7). An authorization has none: a declined
 * payment is an answer.
 */
export const REFUSED_AS = {
  capture: 'CaptureDeclined',
  cancellation: 'CancellationDeclined',
  refund: 'RefundDeclined',
  adjustment: 'AdjustmentDeclined',
} as const satisfies { readonly [O in Exclude<Operation, 'authorization'>]: string };
export const RefusedId = z.enum(REFUSED_AS);
export type RefusedId = z.infer<typeof RefusedId>;
