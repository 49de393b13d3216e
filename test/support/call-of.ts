// The request with which a test calls a processor.
import { connectionAt } from '../../src/processors/connections.ts';
import type { Call, OperationRequest } from '../../src/processors/processor.ts';

/** Without a signal: without a deadline. */
export const callOf = (signal: AbortSignal = new AbortController().signal): Call => ({ connection: connectionAt('sandbox'), signal });

/** A look-up of an operation of which only the reference matters. */
export const about = (reference: string): OperationRequest => ({
  operation: 'authorization',
  reference,
  accountId: 'acc_1',
  paymentId: reference.split('.')[0] ?? reference,
  amount: 1_000,
  currencyCode: 'EUR',
  processorToken: '',
});
