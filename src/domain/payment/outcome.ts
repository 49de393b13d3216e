// The outcome of a call to a processor, graded by evidence (contract §1, "Outcomes are graded by evidence").
import { z } from 'zod';

/** Why an operation, and with an authorization the payment, ended as it did. */
export const ReasonType = z.enum([
  'ISSUER_DECLINE',
  'GATEWAY_TIMEOUT',
  'GATEWAY_UNAVAILABLE',
  'APPLICATION_ERROR',
  'AUTHENTICATION_REQUIRED',
  'AWAITING_FUNDS',
  'PAYMENT_EXPIRED',
]);
export const REASON_WORDS: { readonly [T in z.infer<typeof ReasonType>]: string } = {
  ISSUER_DECLINE: 'The issuer declined, or a success was returned.',
  GATEWAY_TIMEOUT:
    'The outcome is unknown; or the request never arrived, or an operator confirmed that nothing happened.',
  GATEWAY_UNAVAILABLE: 'The request provably never reached the processor.',
  APPLICATION_ERROR: 'A rule of the processor: `code` names it, and there is no `declineType`.',
  AUTHENTICATION_REQUIRED: 'The issuer requires the customer to authenticate, or the customer did not.',
  AWAITING_FUNDS: 'The money comes days later; the payment is PENDING.',
  PAYMENT_EXPIRED: 'The customer did not pay in time; the payment is FAILED.',
};

export const Reason = z.strictObject({
  type: ReasonType,
  declineType: z.enum(['SOFT', 'HARD']).optional(),
  code: z.string().optional(),
  message: z.string().optional(),
  advisedAction: z.string().optional(),
});
export type Reason = z.infer<typeof Reason>;

/** The result of the issuer's check of the address or the security code. */
export const Check = z.enum(['MATCH', 'NO_MATCH', 'NOT_CHECKED', 'UNAVAILABLE']);
export type Check = z.infer<typeof Check>;

/** The card network's own names of a transaction, as they came. */
interface NetworkNames {
  readonly networkTransactionId?: string | undefined;
  readonly transactionLinkId?: string | undefined;
}

/** The names that are known, for records whose members are absent rather than undefined. */
export const networkNames = ({
  networkTransactionId,
  transactionLinkId,
}: NetworkNames): { readonly networkTransactionId?: string; readonly transactionLinkId?: string } => ({
  ...(networkTransactionId !== undefined && { networkTransactionId }),
  ...(transactionLinkId !== undefined && { transactionLinkId }),
});

/** The part of a successful authorization that no other operation has. */
interface Authorized extends NetworkNames {
  readonly avsResult?: Check | undefined;
  readonly cvcResult?: Check | undefined;
  /** The result of the customer's authentication, as the processor reports it. */
  readonly threeDSecure?: object | undefined;
  /** When the issuer's hold ends, where the processor says so; ms, business time. */
  readonly holdExpiresAt?: number | undefined;
  /** The money was taken with it: nothing is left to capture or to void. */
  readonly captured?: true | undefined;
  /** What this authorization allows, where it depends on the card. */
  readonly possible?: Possible | undefined;
}
/** A capture after another one, and a change of the total. */
export interface Possible {
  readonly multipleCaptures: boolean;
  readonly adjustment: boolean;
}

/** Done, as the processor reports it; amount (minor units) and currency may differ from what was asked. */
export interface Succeeded {
  readonly kind: 'succeeded';
  readonly processorTransactionId: string;
  readonly amount: number;
  readonly currencyCode: string;
  readonly authorization?: Authorized | undefined;
}
/** What the network and the processor say about a refusal besides its code. */
export interface RefusalTold {
  /** The card network's own code, as it came. */
  readonly networkCode?: string | undefined;
  /** The card network's own code for what to do next, as it came. */
  readonly networkAdviceCode?: string | undefined;
  readonly advice?: DeclineAdvice | undefined;
}
/** Refused by the processor or the issuer: nothing happened. The words for a code are ours (decline-reason.ts). */
export interface Declined extends NetworkNames, RefusalTold {
  readonly kind: 'declined';
  readonly code: string;
  /** SOFT: the same may succeed later. */
  readonly declineType: DeclineType;
  readonly processorTransactionId?: string | undefined;
  /** An authorization: what the authentication of the customer came to, where there was one. */
  readonly threeDSecure?: object | undefined;
  /** An authorization that somebody can still confirm again at the processor. Its `fence` ends that. */
  readonly fence?: 'owed' | undefined;
}
export const DeclineAdvice = z.enum(['DO_NOT_RETRY', 'RETRY_LATER', 'UPDATE_DATA']);
/** What the processor or the network advises to do after a refusal. */
export type DeclineAdvice = z.infer<typeof DeclineAdvice>;
export const DeclineType = z.enum(['SOFT', 'HARD']);
export type DeclineType = z.infer<typeof DeclineType>;

/** The customer has to do something first; the payment waits. */
export interface RequiresAction {
  readonly kind: 'requires_action';
  readonly processorTransactionId: string;
  readonly action: CustomerAction;
}
export type CustomerAction =
  | { readonly kind: 'redirect'; readonly url: string }
  | { readonly kind: 'sdk'; readonly data: object }
  /** What the customer pays with elsewhere, such as a voucher's numbers, until `expiresAt`: ms, business time. */
  | { readonly kind: 'show'; readonly data: object; readonly expiresAt: number };

/** Accepted; a notification or a look-up reports the outcome later. */
export interface Pending {
  readonly kind: 'pending';
  readonly processorTransactionId?: string | undefined;
}
/** Made at the processor under this name, and nothing has happened by it. */
export interface Preparation {
  readonly kind: 'prepared';
  readonly processorTransactionId: string;
}
/** It had succeeded, and the fence took it back: nothing is held. */
export interface TakenBack {
  readonly kind: 'released';
  readonly processorTransactionId: string;
  /** Minor units. */
  readonly amount: number;
  readonly currencyCode: string;
}
/** The processor itself refused the request: nothing happened, and no issuer was asked. */
export interface RefusedRequest {
  readonly kind: 'refused';
  readonly code: string;
  /** The processor's own code and message. */
  readonly detail: string;
}
/** Provably never reached the processor. */
export interface NotSent {
  readonly kind: 'not_sent';
  readonly detail: string;
}
/** Sent, and the outcome is not known: a look-up resolves it, a repetition never does. */
export interface Unknown {
  readonly kind: 'unknown';
  readonly detail: string;
}
/** The processor does not know the reference; evidence only after its consistency window. */
export interface NotFound {
  readonly kind: 'not_found';
}
/** The look-up itself was not answered. */
export interface Unreachable {
  readonly kind: 'unreachable';
  readonly detail: string;
}
export type Outcome = Succeeded | Declined | RefusedRequest | RequiresAction | Pending | NotSent | Unknown;
/** A look-up's own `unknown`: the processor answered, and its answer does not say. */
export type LookUp = Exclude<Outcome, NotSent | RefusedRequest> | NotFound | Unreachable;

/** A refund as the processor shows it; `reference`: ours, where it carries one. */
export interface StandingRefund {
  /** The processor's name of it. */
  readonly name: string;
  readonly reference?: string | undefined;
  /** Minor units. */
  readonly amount: number;
  readonly state: 'pending' | 'succeeded' | 'failed';
  readonly code?: string | undefined;
  readonly declineType?: DeclineType | undefined;
}

/** What a signed message of the processor shows of a payment; minor units of its currency, as of that message. */
export interface StandingTold {
  readonly currencyCode: string;
  /** Taken so far; refunds do not lower it. */
  readonly captured?: number | undefined;
  /** Still held. */
  readonly capturable?: number | undefined;
  /** The sum of its refunds. */
  readonly refunded?: number | undefined;
  /** Some of its refunds. */
  readonly refunds?: readonly StandingRefund[] | undefined;
}

/** The whole of it, as a read shows it. */
export interface PaymentStanding extends StandingTold {
  readonly kind: 'standing';
  /** The processor's name of the authorization. */
  readonly processorTransactionId: string;
  readonly captured: number;
  readonly capturable: number;
  /** The processor's name of what was captured. */
  readonly captureName: string;
  /** The hold ended by its time; otherwise, where nothing is held, somebody released it. */
  readonly expired?: true | undefined;
  /** The captures and raises that carry a reference of ours. */
  readonly ours: readonly {
    readonly reference: string;
    readonly operation: 'capture' | 'adjustment';
    /** Minor units; of a raise the new total. */
    readonly amount: number;
  }[];
  /** All of its refunds. */
  readonly refunds: readonly StandingRefund[];
}

export const EvidenceSource = z.enum(['answer', 'lookup', 'notification', 'operator']);
/**
 * The source of an outcome: the response to the call, a look-up, a notification, or an operator who asked elsewhere.
 */
export type EvidenceSource = z.infer<typeof EvidenceSource>;

/**
 * The evidence of an outcome. The event of the request holds what was asked, and the event of the outcome what was
 * reported.
 */
export const Evidence = z.strictObject({
  source: EvidenceSource,
  /** When the call or the look-up was sent, ms; absent if nothing was. */
  sentAt: z.number().optional(),
  /** The processor's own id of the notification. */
  notificationId: z.string().optional(),
  /** When it happened by the processor's own clock, ms, where the processor says so. */
  occurredAt: z.number().optional(),
  /** Details that are recorded nowhere else: a fault of the network, an operator's words. */
  detail: z.string().optional(),
});
export type Evidence = z.infer<typeof Evidence>;
