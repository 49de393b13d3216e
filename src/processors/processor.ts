// The processor port: tokenize, perform, look up, and read notifications; every outcome is graded by evidence
// (contract §4).
import { AgreementKind } from '../domain/agreement-kind.ts';
import type { DisputeType } from '../domain/dispute-status.ts';
import { Operation } from '../domain/operation.ts';
import type {
  Declined,
  LookUp,
  NotSent,
  Outcome,
  PaymentStanding,
  Possible,
  Preparation,
  RefusedRequest,
  StandingTold,
  Succeeded,
  TakenBack,
  Unknown,
  Unreachable,
} from '../domain/payment/outcome.ts';
import type { CardData, CardUpdate, MethodData } from '../domain/payment-instrument/recorded-data.ts';
import type { OfferedMethod, PaymentMethodType, Wallet } from '../domain/payment-method.ts';

/** All of them, for the schemas of adapters. */
export const OPERATIONS: readonly Operation[] = Operation.options;
export const AGREEMENT_KINDS: readonly AgreementKind[] = AgreementKind.options;

/**
 * An account at a processor: the sandbox, one account at a real one. Its secrets are resolved from references, never
 * stored.
 */
export interface Connection {
  readonly connectionId: string;
  readonly processor: string;
  /** Empty where nothing is sent by it. */
  readonly secrets: { readonly [name: string]: string };
  /** Another server that speaks the processor's API, of a connection in test mode; without a slash at its end. */
  readonly apiUrl?: string;
  /** Not secret: browsers see it. */
  readonly publishableKey?: string;
  /** True if `prove` has verified the fence at this server. */
  readonly burnProven?: boolean;
}

/** The fields that every call has. */
export interface Call {
  readonly connection: Connection;
  /** Aborts at the deadline. */
  readonly signal: AbortSignal;
}

/**
 * The processor's name for a thing, or our own reference of the call that made it where the processor's name is
 * unknown.
 */
export type Known = { readonly processorTransactionId: string } | { readonly reference: string };

interface OperationRequestBase {
  /** Ours: unique per intended effect, and the idempotency key over there. */
  readonly reference: string;
  readonly accountId: string;
  /** The payment that it belongs to; all its operations share it. */
  readonly paymentId: string;
  /** Minor units; for a cancellation 0, for an adjustment the new total. */
  readonly amount: number;
  readonly currencyCode: string;
  /** When it was requested; ms, business time. */
  readonly requestedAt: number;
  /** The processor's own name of this operation, where it is on record: as prepared, accepted, or waiting. */
  readonly processorTransactionId?: string;
}

export interface AuthorizationRequest extends OperationRequestBase {
  readonly operation: 'authorization';
  /** The processor's name for the card, as tokenize answered it. */
  readonly processorToken: string;
  /** Another method than a card. */
  readonly paymentMethodType?: Exclude<PaymentMethodType, 'PAYMENT_CARD'>;
  /** Where the customer comes back to after an action elsewhere. */
  readonly returnUrl?: string;
  readonly descriptor?: string;
  readonly billingAddress?: object;
  readonly paymentType?: string;
  /** The total may be changed before the capture. */
  readonly isEstimated?: true;
  readonly threeDSecure?: 'ask' | 'if_needed';
  /** The customer keeps what it is paid with, to be charged again. */
  readonly keeps?: true;
  /**
   * The merchant has begun it and the customer is not there: never answered with `requires_action`, but declined with
   * AUTHENTICATION_REQUIRED.
   */
  readonly offSession?: true;
  /** It charges a period of an agreement: the kind, and the network's names of the payment that began it. */
  readonly agreement?: {
    readonly kind: AgreementKind;
    readonly networkTransactionId?: string;
    readonly transactionLinkId?: string;
  };
}
interface CaptureRequest extends OperationRequestBase {
  readonly operation: 'capture';
  readonly authorization: Known;
  /** True if the rest is released. */
  readonly final: boolean;
}
interface RefundRequest extends OperationRequestBase {
  readonly operation: 'refund';
  readonly authorization: Known;
  /** The captures that the money comes from, the oldest first. */
  readonly captures: readonly Known[];
}
/** An operation that is about its authorization alone: a cancellation, an adjustment. */
interface ChangeRequest extends OperationRequestBase {
  readonly operation: Exclude<Operation, 'authorization' | 'capture' | 'refund'>;
  readonly authorization: Known;
}
export type OperationRequest = AuthorizationRequest | CaptureRequest | RefundRequest | ChangeRequest;

/** What a connection supports; for a payment, what its card supports. */
export interface Capabilities {
  /** A capture of less than the authorized amount. */
  readonly partialCapture: boolean;
  /** A capture after another one. */
  readonly multipleCaptures: boolean;
  /** Payment methods other than cards; none if omitted. */
  readonly methods?: readonly OfferedMethod[];
  /** The currencies of its payments; any currency if omitted. */
  readonly currencies?: readonly string[];
  /** What every amount in a currency is a multiple of, minor units; 1 if omitted. */
  readonly stepOf?: (currencyCode: string) => number;
  /** False if every authorization takes the money at once, so that nothing can be captured later. */
  readonly separateCapture?: false;
  /** Whether an authorization's total can be changed, and in which direction. */
  readonly adjustment: 'none' | 'raise' | 'any';
  /**
   * True if "not found" is certain after a fence. Otherwise it is only after the consistency window, as without a
   * fence.
   */
  readonly fenceProves?: true;
}

/** Passed through to the processor, kept nowhere on our side. */
export interface CardDetails {
  readonly number: string;
  readonly expirationMonth: string;
  readonly expirationYear: string;
  readonly cvc: string;
  readonly cardholderName?: string;
}

/** A method of payment as the customer chose it; what is in it is passed through, and kept nowhere on our side. */
export type GivenMethod =
  | { readonly type: Wallet; readonly token: string }
  | {
      readonly type: 'SEPA_DEBIT';
      readonly iban: string;
      readonly accountHolderName: string;
      readonly mandateAccepted: true;
    }
  | { readonly type: Exclude<PaymentMethodType, 'PAYMENT_CARD' | 'SEPA_DEBIT'> };

export interface TokenizationRequest {
  /** Makes it repeatable: the same reference answers the same token. */
  readonly reference: string;
  readonly accountId: string;
  /**
   * A card, the token that the processor's own fields made in the browser, with the fields' word for it, or another
   * method of payment.
   */
  readonly from:
    | { readonly card: CardDetails }
    | { readonly fieldToken: string; readonly fieldType: string }
    | { readonly method: GivenMethod };
}
interface ProcessorToken {
  readonly kind: 'token';
  readonly processorToken: string;
  /** The processor's own name of the card or the account, the same for each token of it. */
  readonly fingerprint?: string;
  /** The processor takes the token for one payment: it cannot be saved. */
  readonly paysOnce?: true;
}
export type Tokenized =
  /** A card, also out of a wallet. */
  | (ProcessorToken & { readonly card: CardData })
  | (ProcessorToken & { readonly method: { readonly type: PaymentMethodType; readonly data: MethodData } })
  /** A card, or another method, that the processor does not take. */
  | { readonly kind: 'refused'; readonly description: string };

/** `not_found`: the processor keeps nothing, and says so. */
export type KeptToken =
  | {
      readonly kind: 'kept';
      readonly processorToken: string;
      /** The card network's own names of the payment with which it was kept. */
      readonly networkTransactionId?: string | undefined;
      readonly transactionLinkId?: string | undefined;
    }
  | { readonly kind: 'not_found' }
  | { readonly kind: 'unreachable'; readonly detail: string };

export interface DisputeNotice {
  readonly id: string;
  /** A dispute status of contract §13, or a word that only a later version knows. */
  readonly status: string;
  /** Absent where a decision does not say which round it decides, and for a processor that has no rounds. */
  readonly type?: DisputeType;
  /** What was refunded for a prevented dispute, minor units, and the processor's names of those refunds. */
  readonly refunded?: { readonly amount: number; readonly refunds: readonly string[] };
  /** Minor units. */
  readonly amount: number;
  readonly currencyCode: string;
  readonly reason?: string;
  readonly reasonCode?: string;
  /** ms; where the processor does not say, the time of its first word counts. */
  readonly openedAt?: number;
  /** ms */
  readonly challengeRequiredBy?: number;
}
export interface DisputeQuestion {
  /** The processor's name of it. */
  readonly disputeId: string;
  readonly accountId: string;
}
export interface DisputeRequest extends DisputeQuestion {
  /** Ours: of this one answer, and its idempotency key at the processor. */
  readonly reference: string;
  /** The type of the round that it answers; absent for DISPUTE. */
  readonly type?: DisputeType;
  readonly answer: { readonly evidence: object; readonly submit: boolean } | 'accept';
}

export interface StandingQuestion {
  readonly paymentId: string;
  /** The processor's name of the authorization. */
  readonly processorTransactionId: string;
  readonly accountId: string;
  readonly currencyCode: string;
}

export interface EventsQuestion {
  /** Events of this time and later, by the processor's clock; ms. */
  readonly from: number;
  /** The `next` of the previous page. */
  readonly after?: string | undefined;
}

/** A page of the processor's own list of events. */
export type EventsPage =
  | {
      readonly kind: 'page';
      /** Texts that `reread` reads. */
      readonly raws: readonly string[];
      /** Where the next page begins; undefined if there is none. */
      readonly next?: string | undefined;
    }
  | Unreachable;

/** `found`: the dispute as the processor has it. */
export type DisputeFound =
  | { readonly kind: 'found'; readonly dispute: DisputeNotice }
  | { readonly kind: 'not_found' }
  | Unreachable;

interface NotificationBase {
  /** The key for deduplication: the processor's own id, otherwise a hash of the body. */
  readonly notificationId: string;
  /** The time according to the processor, in ms; the time of receipt counts where it is absent. */
  readonly occurredAt?: number;
}

export interface PaymentNotification extends NotificationBase {
  /** The attempt or payment that is meant; disputes only know the processor's names. */
  readonly subject: Known;
  /**
   * What the signed message shows of the payment as a whole. The payment is read where that is not on record, and where
   * the message contradicts what is known of a settled attempt: its time has no order with a word of another clock.
   */
  readonly told?: StandingTold | undefined;
  readonly about:
    | { readonly operation: Operation; readonly outcome: Succeeded | Declined }
    /** A success came back: a refund that failed later, a capture that the acquirer returned. */
    | {
        readonly reversalOf: 'refund' | 'capture';
        readonly processorTransactionId: string;
        /** Minor units. */
        readonly amount: number;
        readonly currencyCode: string;
      }
    | { readonly authorizationExpired: true }
    | { readonly dispute: DisputeNotice }
    /**
     * Something changed: the open attempts of the payment are looked up, and the payment is read unless `told` agrees.
     */
    | { readonly look: true }
    /** A preparation made this: an authorization that is over without the name ends it by a fence. */
    | { readonly prepared: string };
}

/**
 * `processorToken`: the token of a saved method at the connection, or what follows its last slash: a token of several
 * names ends with the method's own.
 */
export interface InstrumentNotification extends NotificationBase {
  readonly about: /** The network's updater told of a new expiry, or of a new number; the token charges that. */
    | {
        readonly instrument: 'updated';
        readonly processorToken: string;
        readonly card: CardUpdate;
        /** The same as of `tokenize`; where that has none, of a new number alone. */
        readonly fingerprint?: string;
      }
    /** The card or the account was closed: nothing can be charged by it any longer. */
    | { readonly instrument: 'closed'; readonly processorToken: string }
    /** The processor's name of the customer's permission to debit the method, and whether it holds. */
    | {
        readonly mandate: string;
        readonly status: 'active' | 'pending' | 'inactive';
        readonly processorToken: string;
        /** The reason, as the processor calls it. */
        readonly because?: string;
      };
}

/** About a payment, or about a method that a customer has saved. */
export type ProcessorNotification = PaymentNotification | InstrumentNotification;

/** One fact about an account; not good: an operator should act before a payment goes by it. */
export interface Examined {
  readonly name: string;
  /** For people; without any secret. */
  readonly value: string;
  readonly isGood: boolean;
}

/** What a page needs that mounts the processor's own fields. */
export interface OwnFields {
  /** The address of the processor's script. */
  readonly script: string;
  /**
   * The origins that the page may load scripts and frames from, and call; each in full, or with `*.` before its host.
   */
  readonly scripts: readonly string[];
  readonly frames: readonly string[];
  readonly calls: readonly string[];
}

/** A step of a run that tries what the fences of an adapter rely on. */
export interface ProofStep {
  readonly name: string;
  /** What was seen, or what a person has to do. */
  readonly value: string;
  /** `person`: no program can do it, and it decides nothing. */
  readonly result: 'passed' | 'failed' | 'person';
  /** The requests and the responses, as they were, without the headers. */
  readonly exchanges: readonly object[];
}

export type NotificationHeaders = { readonly [name: string]: string | undefined };

export interface Processor {
  readonly name: string;
  /** How long, ms, a look-up may still say "not found" about something that will appear. */
  readonly consistencyWindowMs: number;
  /** Asked before a command is accepted. */
  capabilities(
    connection: Connection,
    payment?: { readonly network: string; readonly possible?: Possible | undefined },
  ): Capabilities;
  /** False for one whose own fields take the cards: no number reaches it through us. Stripe's fields do. */
  readonly takesCards?: boolean;
  /** Throws when the processor is unavailable: nothing was charged, and the same reference may be tried again. */
  tokenize(request: TokenizationRequest, call: Call): Promise<Tokenized>;
  /**
   * Makes the thing that `perform` confirms, and moves no money. Its name is on record before `perform`, whose request
   * has it. Without an answer the authorization counts as not sent: nobody confirms what nobody can name. Called once
   * for an attempt, as `perform` is, and never throws for faults of the network. Stripe needs it: a PaymentIntent is
   * found by its own id alone.
   */
  readonly prepare?: (
    request: AuthorizationRequest,
    call: Call,
  ) => Promise<Preparation | Declined | RefusedRequest | NotSent | Unknown>;
  /** Never throws for faults of the network. Called once for an attempt, by the process whose append requested it. */
  perform(request: OperationRequest, call: Call): Promise<Outcome>;
  /**
   * The token under which the processor keeps what an authorization was paid with, where its fields' token is good for
   * one payment. Asked after the success of a request with `keeps`; only reads, and never throws for faults of the
   * network. Stripe needs it: its token for later payments is another one than that of its fields.
   */
  readonly kept?: (request: AuthorizationRequest, call: Call) => Promise<KeptToken>;
  /**
   * Goes on after a required action, where the processor waits for the details that the customer came back with, as
   * Adyen does. Absent where it goes on without us: then the attempt is looked up.
   */
  readonly resume?: (request: OperationRequest, call: Call) => Promise<Outcome>;
  /** Sends the merchant's answer to a dispute; graded like any outcome, and never throws for faults of the network. */
  readonly dispute?: (request: DisputeRequest, call: Call) => Promise<Outcome>;
  /**
   * Reads a dispute, for an answer whose outcome is unknown, when its time is over, or while it is challenged. A
   * processor that takes answers has this too.
   */
  readonly lookUpDispute?: (request: DisputeQuestion, call: Call) => Promise<DisputeFound>;
  /**
   * The state of an operation, even if the processor never saw it; only reads. `released`: a fence has taken its
   * success back, and its answer may have been lost.
   */
  lookUp(request: OperationRequest, call: Call): Promise<LookUp | TakenBack>;
  /**
   * A payment with everything that was done to it, by anybody; only reads, and never throws for faults of the
   * network. Absent for a processor that cannot show one: then only its notifications tell, and our clock ends a hold.
   */
  readonly standing?: (question: StandingQuestion, call: Call) => Promise<PaymentStanding | Unreachable>;
  /**
   * The events that the processor has kept, the newest first: what a lost notification told. Only reads, and never
   * throws for faults of the network. Absent for a processor that lists none.
   */
  readonly events?: (question: EventsQuestion, call: Call) => Promise<EventsPage>;
  /**
   * Afterwards the operation can never take effect any more, even if its request arrives later. Answers its state by
   * then: `requires_action` where it waited, which a later look-up may repeat (nobody is sent to that action);
   * `released` where the fence itself took a success back. Asked for an attempt whose outcome is unknown, and for an
   * authorization that waits for its customer; never for a pending attempt.
   */
  readonly fence?: (request: OperationRequest, call: Call) => Promise<LookUp | TakenBack>;
  /**
   * The origins of the pages on which the customers of a connection act, such as `https://acs.bank.example`: the
   * checkout shows no page of another one. Each is named in full; a processor without pages of its own has none. Its
   * pages lead on to the banks' pages inside, in frames of their own.
   */
  readonly challengeOrigins?: (connection: Connection) => readonly string[];
  /**
   * Where its own fields take the card in a browser: `processorToken` is what they make of it. The checkout's frame has
   * a module named like the processor that mounts them. Stripe has them; no card number reaches us by them.
   */
  readonly fields?: (connection: Connection) => OwnFields;
  /**
   * Why the secret of this name, or the `publishableKey`, may not be used in a store of this mode, in a sentence
   * without secrets; undefined if it may. Calls nobody.
   */
  readonly refusal?: (connection: Connection, mode: 'test' | 'live', name: string) => string | undefined;
  /**
   * The processor's own report on the account of a connection, a line each; only reads. `webhookUrl`: the beginning of
   * the URL to which its notifications should go, whose end is a secret; `isOwnUrl` says of a whole URL whether it is
   * one of this connection. Never throws for faults of the network: a fault is a line that is not good. Absent for a
   * processor without an account that a person sets up, such as the sandbox.
   */
  readonly examine?: (
    call: Call,
    webhookUrl: string | undefined,
    isOwnUrl: (url: string) => boolean,
  ) => Promise<readonly Examined[]>;
  /**
   * Tells the sandbox by which path it notifies a connection (`accountId`: its id; `apiKey`: the path's token). At any
   * other processor a person enters it.
   */
  readonly connect?: (connection: { readonly accountId: string; readonly apiKey: string }) => Promise<void>;
  /**
   * Tries at the server of a connection what the fences rely on, with test money; the steps as they end. `run` is
   * unique, and the beginning of every idempotency key. Never for a connection in live mode. For a processor whose
   * documentation does not promise that, such as Stripe; the rules of the sandbox are ours.
   */
  readonly prove?: (call: Call, run: string) => AsyncIterable<ProofStep>;
  /** Checks the signature over the raw body, then reads it: one body may hold several. `now` in ms. */
  notifications(
    raw: string,
    headers: NotificationHeaders,
    connection: Connection,
    now: number,
  ): readonly ProcessorNotification[] | 'bad_signature' | 'unparsable';
  /** Reads a notification that was verified and stored before; undefined if its text cannot be read (any more). */
  reread(raw: string): readonly ProcessorNotification[] | undefined;
}
