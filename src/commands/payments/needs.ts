// What the commands on payments need.

import type { LimitFunction } from 'p-limit';
import type { Deadlines } from '../../deadlines.ts';
import type { AgreementEvent } from '../../domain/agreement/events.ts';
import type { Agreement } from '../../domain/agreement/state.ts';
import type { ClientSessionEvent } from '../../domain/client-session/events.ts';
import type { ClientSession } from '../../domain/client-session/state.ts';
import type { PaymentEvent } from '../../domain/payment/events.ts';
import type { Payment } from '../../domain/payment/payment.ts';
import type { StandingRead } from '../../domain/payment/standing.ts';
import type { RetryLedger, RetryLedgerEvent } from '../../domain/retry-ledger/ledger.ts';
import type { Streams } from '../../journal/streams.ts';
import type { Processor } from '../../processors/processor.ts';
import type { AccountConnections } from '../connections/connections.ts';
import type { Idempotency } from '../idempotency.ts';
import type { Instruments } from '../instruments/instruments.ts';
import type { VaultingNeeds } from '../instruments/needs.ts';
import type { CardTesting } from '../limits/card-testing.ts';
import type { Circuits } from '../limits/circuits.ts';
import type { Timings } from '../payment-timings.ts';
import type { ClientTokens } from '../sessions/client-tokens.ts';
import type { ResumeTokenNeeds, ResumeTokens } from './resume-tokens.ts';
import type { WatchedAttempts } from './watched-attempts.ts';

/** What a service gives. */
interface GivenParts extends VaultingNeeds, Pick<Instruments, 'vaultFor'> {
  readonly payments: Streams<Payment, PaymentEvent>;
  readonly sessions: Streams<ClientSession, ClientSessionEvent>;
  readonly agreements: Streams<Agreement, AgreementEvent>;
  readonly retryLedgers: Streams<RetryLedger, RetryLedgerEvent>;
  readonly idempotency: Pick<Idempotency, 'open'>;
  readonly tokens: ClientTokens;
  readonly processors: ReadonlyMap<string, Processor>;
  readonly connections: Pick<
    AccountConnections,
    'of' | 'takesPayments' | 'processor' | 'routingOf' | 'isActive' | 'activeOf' | 'defaultOf' | 'nameOf'
  >;
  readonly circuits: Circuits;
  readonly cardTesting: CardTesting;
  readonly timings: Timings;
  readonly mode: 'test' | 'live';
  /** Of calls to processors: `timings.answerWithinMs` each. */
  readonly deadlines: Deadlines;
  readonly report: (fault: unknown) => void;
  /** Rejects with StoreUnavailable while an append could not be projected. */
  readonly mayWrite: () => Promise<void> | undefined;
}

export interface PaymentNeeds extends GivenParts {
  readonly resumeTokens: ResumeTokens;
  readonly watched: WatchedAttempts;
  /** Bounds the look-ups that run at once because they are due. */
  readonly dueLookUps: LimitFunction;
  /** The reads of payments that have not begun, by payment: each serves all that ask for it. */
  readonly waitingReads: Map<string, Promise<StandingRead>>;
}

/** Payments make the rest. `watched`: tests choose the clocks that look-ups are measured by. */
export interface PaymentParts extends GivenParts, Pick<ResumeTokenNeeds, 'publicUrl'> {
  readonly watched?: WatchedAttempts;
}
