// What commands work with: the streams of each category, operations, names and tokens.
import type { LimitFunction } from 'p-limit';
import type { AccountEvent } from '../domain/account/events.ts';
import type { Account } from '../domain/account/state.ts';
import type { ApiKeyEvent } from '../domain/api-key/events.ts';
import type { ApiKey } from '../domain/api-key/state.ts';
import type { ClientSession, ClientSessionEvent } from '../domain/client-session/state.ts';
import type { CustomerWallet, CustomerWalletEvent } from '../domain/customer-wallet/state.ts';
import type { NotificationEvent } from '../domain/notification/events.ts';
import type { Notification } from '../domain/notification/state.ts';
import type { Payment, PaymentEvent } from '../domain/payment/state.ts';
import type { PaymentInstrument, PaymentInstrumentEvent } from '../domain/payment-instrument/state.ts';
import type { Streams } from '../journal/streams.ts';
import type { Processor } from '../processors/processor.ts';
import type { Secrets, StoreKey } from '../secrets.ts';
import type { World } from '../world.ts';
import type { Circuits } from './attempts/circuits.ts';
import type { WatchedAttempts } from './attempts/watched-attempts.ts';
import type { CardTesting } from './card-testing.ts';
import type { AwaitedPayments } from './notifications/awaited-payments.ts';
import type { Operations } from './operations.ts';
import type { ClientTokens } from './sessions/client-tokens.ts';
import type { Timings } from './timings.ts';

export interface House {
  readonly accounts: Streams<Account, AccountEvent>;
  readonly apiKeys: Streams<ApiKey, ApiKeyEvent>;
  readonly sessions: Streams<ClientSession, ClientSessionEvent>;
  readonly payments: Streams<Payment, PaymentEvent>;
  readonly instruments: Streams<PaymentInstrument, PaymentInstrumentEvent>;
  readonly wallets: Streams<CustomerWallet, CustomerWalletEvent>;
  readonly notifications: Streams<Notification, NotificationEvent>;
  readonly operations: Operations;
  readonly tokens: ClientTokens;
  readonly secrets: Secrets;
  readonly storeKey: StoreKey;
  readonly cardTesting: CardTesting;
  readonly awaited: AwaitedPayments;
  readonly watched: WatchedAttempts;
  readonly circuits: Circuits;
  readonly dueLookUps: LimitFunction;
  readonly mode: 'test' | 'live';
  readonly world: World;
  readonly processors: ReadonlyMap<string, Processor>;
  readonly timings: Timings;
  /** Faults that no caller can act on. */
  readonly report: (fault: unknown) => void;
}
