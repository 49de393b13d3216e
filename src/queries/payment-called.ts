// The payment that a processor knows by a name of its own.
import { payments } from '../projections/models/payments.ts';
import type { ReadModels } from '../stores/read-models.ts';

/** The payment whose authorization the processor calls so; undefined where none is known (yet). Throws StoreUnavailable. */
export const paymentCalled =
  (readModels: ReadModels) =>
  async (accountId: string, processor: string, processorTransactionId: string): Promise<string | undefined> => {
    const where = { accountId: [accountId], processor: [processor], processorTransactionId: [processorTransactionId] };
    return (await readModels.find(payments, { where, limit: 1 }))[0]?.id;
  };
