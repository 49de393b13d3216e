// Requests with which tests call a processor.
import { connectionAt } from '../../src/processors/connections.ts';
import type { Call, OperationRequest } from '../../src/processors/processor.ts';

/** Without a signal the call has no deadline. */
export const callOf = (signal: AbortSignal = new AbortController().signal): Call => ({
  connection: connectionAt('sandbox'),
  signal,
});

/** A look-up by reference; its other fields do not matter. */
export const about = (reference: string): OperationRequest => ({
  operation: 'authorization',
  reference,
  accountId: 'acc_1',
  paymentId: reference.split('.')[0] ?? reference,
  amount: 1_000,
  currencyCode: 'EUR',
  requestedAt: 0,
  processorToken: '',
});
