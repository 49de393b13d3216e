// The functions that commands on notifications need.
import type { NotificationEvent } from '../../domain/notification/events.ts';
import type { Notification } from '../../domain/notification/state.ts';
import type { PaymentEvent } from '../../domain/payment/events.ts';
import type { Payment } from '../../domain/payment/payment.ts';
import type { Streams } from '../../journal/streams.ts';
import type { Processor } from '../../processors/processor.ts';
import type { StoreKey } from '../../secrets.ts';
import type { World } from '../../world.ts';
import type { AccountConnections } from '../connections/connections.ts';
import type { Payments } from '../payments/payments.ts';
import type { AwaitedPayments } from './awaited-payments.ts';

export interface NotificationNeeds
  extends Pick<Payments, 'recordFact' | 'lookAtChanged' | 'readStanding' | 'fenceOrphan'> {
  readonly notifications: Streams<Notification, NotificationEvent>;
  readonly payments: Streams<Payment, PaymentEvent>;
  readonly processors: ReadonlyMap<string, Processor>;
  readonly connections: Pick<AccountConnections, 'calledBy' | 'processor'>;
  readonly awaited: AwaitedPayments;
  readonly storeKey: StoreKey;
  readonly world: World;
  readonly report: (fault: unknown) => void;
  /** Rejects with StoreUnavailable while an append could not be projected. */
  readonly mayWrite: () => Promise<void> | undefined;
  /**
   * The payment whose authorization has this name at the processor; undefined if none is known (yet). Throws
   * StoreUnavailable.
   */
  readonly paymentCalled: (
    accountId: string,
    processor: string,
    processorTransactionId: string,
  ) => Promise<string | undefined>;
}
