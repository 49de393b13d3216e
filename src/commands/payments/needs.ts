// The functions that commands on payments need; each file takes the part that it uses.

import type { LimitFunction } from 'p-limit';
import type { Deadlines } from '../../deadlines.ts';
import type { ClientSessionEvent } from '../../domain/client-session/events.ts';
import type { ClientSession } from '../../domain/client-session/state.ts';
import type { PaymentEvent } from '../../domain/payment/events.ts';
import type { Payment } from '../../domain/payment/payment.ts';
import type { StandingRead } from '../../domain/payment/standing.ts';
import type { Streams } from '../../journal/streams.ts';
import type { Processor } from '../../processors/processor.ts';
import type { AccountConnections } from '../connections/connections.ts';
import type { Idempotency } from '../idempotency.ts';
import type { VaultingNeeds } from '../instruments/needs.ts';
import type { CardTesting } from '../limits/card-testing.ts';
import type { Circuits } from '../limits/circuits.ts';
import type { Timings } from '../payment-timings.ts';
import type { ClientTokens } from '../sessions/client-tokens.ts';
import type { ResumeTokenNeeds, ResumeTokens } from './resume-tokens.ts';
import type { WatchedAttempts } from './watched-attempts.ts';

/** Claims: a payment, and the session and token that it holds. */
export interface ClaimNeeds extends Pick<VaultingNeeds, 'instruments' | 'world'> {
  readonly payments: Streams<Payment, PaymentEvent>;
  readonly sessions: Streams<ClientSession, ClientSessionEvent>;
  readonly timings: Timings;
}

/** The consequences of a payment's new state in other streams. */
export interface ConcludeNeeds extends ClaimNeeds, VaultingNeeds {
  readonly report: (fault: unknown) => void;
  readonly processors: ReadonlyMap<string, Processor>;
  readonly circuits: Circuits;
  readonly connections: Pick<
    AccountConnections,
    'of' | 'takesPayments' | 'processor' | 'routingOf' | 'isActive' | 'activeOf' | 'defaultOf' | 'nameOf'
  >;
  /** Of calls to processors: `timings.answerWithinMs` each. */
  readonly deadlines: Deadlines;
}

/** One call to a processor. */
export interface CallNeeds
  extends Pick<
    ConcludeNeeds,
    'world' | 'timings' | 'report' | 'processors' | 'circuits' | 'connections' | 'deadlines'
  > {
  readonly resumeTokens: ResumeTokens;
}

export interface AttemptNeeds extends ConcludeNeeds, CallNeeds {
  readonly cardTesting: CardTesting;
  readonly watched: WatchedAttempts;
}

export interface LookUpNeeds extends AttemptNeeds {
  /** Bounds the look-ups that run at once because they are due. */
  readonly dueLookUps: LimitFunction;
  /** The reads of payments that have not begun, by payment: each serves all that ask for it. */
  readonly waitingReads: Map<string, Promise<StandingRead>>;
}

/** True if an authorization may begin. */
export type AdmitNeeds = Pick<
  PaymentNeeds,
  'sessions' | 'instruments' | 'wallets' | 'cardTesting' | 'circuits' | 'processors' | 'connections' | 'storeKey'
>;

export interface PaymentNeeds extends LookUpNeeds {
  readonly idempotency: Pick<Idempotency, 'once' | 'open'>;
  readonly tokens: ClientTokens;
  /** Rejects with StoreUnavailable while an append could not be projected. */
  readonly mayWrite: () => Promise<void> | undefined;
}

/**
 * The functions that a service gives; payments make the rest. `watched`: tests choose the clocks that look-ups are
 * measured by.
 */
export type PaymentParts = Omit<PaymentNeeds, 'watched' | 'dueLookUps' | 'waitingReads' | 'resumeTokens'> &
  Pick<ResumeTokenNeeds, 'publicUrl'> & { readonly watched?: WatchedAttempts };
