// The functions that commands on payment instruments need.
import type { Deadlines } from '../../deadlines.ts';
import type { ClientSessionEvent } from '../../domain/client-session/events.ts';
import type { ClientSession } from '../../domain/client-session/state.ts';
import type { CustomerWallet, CustomerWalletEvent } from '../../domain/customer-wallet.ts';
import type { PaymentInstrumentEvent } from '../../domain/payment-instrument/events.ts';
import type { PaymentInstrument } from '../../domain/payment-instrument/state.ts';
import type { Streams } from '../../journal/streams.ts';
import type { Processor } from '../../processors/processor.ts';
import type { StoreKey } from '../../secrets.ts';
import type { World } from '../../world.ts';
import type { AccountConnections } from '../connections/connections.ts';
import type { Idempotency } from '../idempotency.ts';
import type { CardTesting } from '../limits/card-testing.ts';
import type { Circuits } from '../limits/circuits.ts';

/** Vaulting: an instrument's own stream and its customer's wallet. */
export interface VaultingNeeds {
  readonly instruments: Streams<PaymentInstrument, PaymentInstrumentEvent>;
  readonly wallets: Streams<CustomerWallet, CustomerWalletEvent>;
  readonly storeKey: StoreKey;
  readonly world: World;
}

/** Changes of an instrument by a merchant. */
export interface ChangeNeeds extends VaultingNeeds {
  readonly idempotency: Pick<Idempotency, 'open'>;
}

/** A card goes to its processor first. */
export interface InstrumentNeeds extends ChangeNeeds {
  readonly sessions: Streams<ClientSession, ClientSessionEvent>;
  readonly processors: ReadonlyMap<string, Processor>;
  readonly connections: Pick<AccountConnections, 'read' | 'processor' | 'of' | 'defaultOf' | 'activeOf' | 'routingOf'>;
  readonly circuits: Circuits;
  readonly cardTesting: CardTesting;
  /** Of calls to processors: `timings.answerWithinMs` each. */
  readonly deadlines: Deadlines;
  readonly report: (fault: unknown) => void;
}
