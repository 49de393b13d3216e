// What commands on processors' notifications are built from.
import type { House } from '../house.ts';

export interface NotificationNeeds extends House {
  /** The payment whose authorization the processor calls so; undefined where none is known (yet). Throws StoreUnavailable. */
  readonly paymentCalled: (accountId: string, processor: string, processorTransactionId: string) => Promise<string | undefined>;
}
