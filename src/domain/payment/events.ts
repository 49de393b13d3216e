// The facts of a payment. Every attempt at a processor is requested before it is sent; each word about it is a fact of
// its own.
import { z } from 'zod';
import { AgreementKind } from '../agreement-kind.ts';
import { category, event, upcast } from '../category.ts';
import { RecordedCustomer, RecordedOrder } from '../client-session/recorded-fields.ts';
import { disputeTypes } from '../dispute-status.ts';
import { Operation } from '../operation.ts';
import { CustomerErased, personal } from '../personal.ts';
import { SkipReason, SkipReasonV1 } from '../routing/recorded-rules.ts';
import { DeclineAdvice, Evidence } from './outcome.ts';
import { RecordedMethod, RecordedMethodV1, RecordedMethodV2 } from './recorded-method.ts';

/** Milliseconds since the epoch, business time. */
const Time = z.number();
/** Minor units; a processor may report any number. */
const Money = z.number();
/** Any JSON. */
const Free = z.record(z.string(), z.unknown());

const PaymentCreationV1 = z.strictObject({
  accountId: z.string(),
  sessionId: z.string().optional(),
  createdAt: Time,
  orderId: z.string(),
  currencyCode: z.string(),
  amount: Money,
  customerId: z.string().optional(),
  customer: personal(RecordedCustomer).optional(),
  order: RecordedOrder.optional(),
  metadata: Free.optional(),
  returnUrl: z.string().optional(),
  paymentMethod: RecordedMethodV1,
});
/**
 * `shown`: what the pay button of the checkout showed when the customer pressed it, as the browser told it; its session
 * had that amount.
 */
const PaymentCreationV2 = PaymentCreationV1.extend({
  shown: z.strictObject({ amount: Money, currencyCode: z.string() }).optional(),
});
const PaymentCreationV3 = PaymentCreationV2.extend({ paymentMethod: RecordedMethodV2 });
/** `emailHash`: the keyed hash by which a search finds the customer's e-mail address (decision 142). */
const PaymentCreationV4 = PaymentCreationV3.extend({ emailHash: personal(z.string()).optional() });
const PaymentCreationV5 = PaymentCreationV4.extend({ paymentMethod: RecordedMethod });
const ChargedPeriodV1 = z.strictObject({ agreementId: z.string(), periodKey: z.string(), try: z.number() });
const PaymentCreationV7 = PaymentCreationV5.extend({ agreement: ChargedPeriodV1.optional() });
/** `kind`, and the network's names of the payment that its customer made: a processor needs them for later ones. */
const ChargedPeriod = ChargedPeriodV1.extend({
  kind: AgreementKind.optional(),
  networkTransactionId: z.string().optional(),
  transactionLinkId: z.string().optional(),
});
/** `agreement`: it is a try to charge a period of one (agreement/events.ts). */
const PaymentCreationV8 = PaymentCreationV5.extend({ agreement: ChargedPeriod.optional() });
/** `forAgreement`: the agreement that charges this payment method from now on, if the payment succeeds. */
export const PaymentCreation = PaymentCreationV8.extend({ forAgreement: z.string().optional() });
export type PaymentCreation = z.infer<typeof PaymentCreation>;

/** The cause of an attempt that nobody requested: the end of another attempt (`attemptId`). */
const FollowUp = z.strictObject({
  attemptId: z.string(),
  because: z.enum(['automatic_capture', 'intended_cancellation', 'answer_mismatch', 'late_success']),
});
const AskedAgainV1 = FollowUp.extend({ because: z.literal('authentication_required') });
/**
 * The cause of a second authorization: the issuer has declined the first one because it requires an authentication, or
 * the rules of routing name another connection to ask after such an end.
 */
const AskedAgain = FollowUp.extend({ because: z.enum(['authentication_required', 'fallback']) });
/** The cause of a capture that nobody asked for or called: its authorization has taken the money (contract §4). */
const WithAuthorization = FollowUp.extend({ because: z.literal('with_authorization') });
export type FollowUp = z.infer<typeof FollowUp>;
export type WithAuthorization = z.infer<typeof WithAuthorization>;
export type AskedAgain = z.infer<typeof AskedAgain>;

/** Which captures a refund is taken from, by their attempt ids. */
const Allocation = z.strictObject({ attemptId: z.string(), amount: Money });
export type Allocation = z.infer<typeof Allocation>;

const requested = {
  /** `<paymentId>.<suffix>`: our own name for the attempt. */
  attemptId: z.string(),
  /** The attempt's name and idempotency key at the processor (reference.ts). */
  reference: z.string(),
  requestedAt: Time,
  /** The call is not made later than this. */
  sendBy: Time,
  /** When the processor is first asked about the outcome. */
  nextLookUpAt: Time,
  follows: FollowUp.optional(),
};
const money = { amount: Money, currencyCode: z.string() };
/** The account and network of the money, so that each fact can be counted on its own. */
const place = { connectionId: z.string(), network: z.string() };
const learnt = { attemptId: z.string(), evidence: Evidence };
const succeeded = { ...learnt, processorTransactionId: z.string(), ...money, ...place };
const checksV1 = {
  avsResult: z.string().optional(),
  cvcResult: z.string().optional(),
  threeDSecure: Free.optional(),
  /** When the issuer's hold ends, where the processor says so. */
  holdExpiresAt: Time.optional(),
};
/** What this authorization allows; without it, what its connection does. */
export const Possible = z.strictObject({ multipleCaptures: z.boolean(), adjustment: z.boolean() });
const checksV2 = { ...checksV1, possible: Possible.optional() };
/** The card network's own names of a transaction, by which a later charge without the customer refers to it. */
const networkNames = { networkTransactionId: z.string().optional(), transactionLinkId: z.string().optional() };
const checks = { ...checksV2, ...networkNames };
const PaymentAuthorizedV1 = z.strictObject({ ...succeeded, ...checksV1 });
const PaymentAuthorizedV2 = z.strictObject({ ...succeeded, ...checksV2 });
const confirmed = {
  operation: Operation,
  /** As it was booked before. */
  vouchedAmount: Money,
};
const SuccessConfirmedV1 = z.strictObject({ ...succeeded, ...confirmed, ...checksV1 });
const SuccessConfirmedV2 = z.strictObject({ ...succeeded, ...confirmed, ...checksV2 });

/** The processor, or the issuer, refused: nothing happened. `amount`: as it was asked for, none for a cancellation. */
const DeclinedV1 = z.strictObject({
  ...learnt,
  code: z.string(),
  declineType: z.enum(['SOFT', 'HARD']),
  processorTransactionId: z.string().optional(),
  amount: Money.optional(),
  currencyCode: z.string().optional(),
  ...place,
});
/** `networkCode`: the card network's own code, as it came. `advice`: of the processor or of the network. */
const told = { networkCode: z.string().optional(), advice: DeclineAdvice.optional() };
const DeclinedV2 = DeclinedV1.extend(told);
/**
 * `refused`: by the processor itself, as the request was made: no issuer was asked, and a single-use token can still
 * pay. `networkAdviceCode`: the card network's own code for what to do next, as it came.
 */
const refusal = { refused: z.literal(true).optional(), networkAdviceCode: z.string().optional(), ...networkNames };
const Declined = DeclinedV2.extend(refusal);
const AuthorizationDeclinedV2 = DeclinedV1.extend({ retriedAs: z.string().optional() });
const AuthorizationDeclinedV3 = AuthorizationDeclinedV2.extend(told);
const AuthorizationDeclinedV4 = AuthorizationDeclinedV3.extend({ fenceAt: Time.optional() });
/** The processor has accepted the request and will report the result later. */
const Pending = z.strictObject({ ...learnt, processorTransactionId: z.string().optional(), nextLookUpAt: Time });
/** It was sent, and the answer was lost. */
const OutcomeUnknown = z.strictObject({ ...learnt, nextLookUpAt: Time });
/**
 * The request provably never reached the processor (…NotSent), or the processor never saw it (…NotFound). `retryAt`:
 * when a reversal is tried again.
 */
const NotDone = z.strictObject({ ...learnt, retryAt: Time.optional() });
/** A success was undone. `code`: if the processor reported it as a refusal. */
const Returned = z.strictObject({
  ...learnt,
  ...money,
  ...place,
  code: z.string().optional(),
  declineType: z.enum(['SOFT', 'HARD']).optional(),
});
const Dispute = z.strictObject({ disputeId: z.string(), evidence: Evidence });
/**
 * Nobody has told: the time that the processor named (`occurredAt`) was over by our own clock, and the processor could
 * not be asked.
 */
const ByClock = z.strictObject({ source: z.literal('clock'), occurredAt: Time });
const DisputeOpenedV1 = z.strictObject({
  disputeId: z.string(),
  processorDisputeId: z.string(),
  /** The capture that is disputed, where the processor says which. */
  attemptId: z.string().optional(),
  ...money,
  ...place,
  reason: z.string().optional(),
  reasonCode: z.string().optional(),
  openedAt: Time,
  challengeRequiredBy: Time.optional(),
  evidence: Evidence,
});
const answered = { disputeId: z.string(), answerId: z.string(), evidence: Evidence };
const DisputeLookUpRecordedV1 = z.strictObject({
  ...answered,
  answer: z.enum(['pending', 'not_found', 'unreachable']),
  nextLookUpAt: Time,
});
const DisputeLookUpRecordedV2 = DisputeLookUpRecordedV1.extend({
  answerId: z.string().optional(),
  answer: z.enum(['pending', 'not_found', 'unreachable', 'still_open']),
});
const DisputeEvidenceSubmittedV1 = z.strictObject({
  ...Dispute.shape,
  submission: personal(Free, {}),
  submitted: z.boolean(),
});
/** The merchant's words; they may hold personal data of the customer. */
const DisputeSubmission = z.strictObject({
  text: z.string(),
  customerEmail: z.string().optional(),
  shippingTrackingNumber: z.string().optional(),
});
const DisputeEvidenceSubmittedV2 = DisputeEvidenceSubmittedV1.extend({ nextLookUpAt: Time.optional() });
const DisputeEvidenceDrafted = z.strictObject({
  disputeId: z.string(),
  submission: personal(DisputeSubmission, { text: '' }),
});
export type DisputeSubmission = Readonly<z.infer<typeof DisputeSubmission>>;

const CancellationIntendedV1 = z.strictObject({ attemptId: z.string(), reason: z.string().optional() });

/** Nobody here asked for it: somebody moved money at the processor, under the processor's name. */
const Outside = z.strictObject(succeeded);

const AuthorizationExpiredV1 = z.strictObject({
  amount: Money.optional(),
  currencyCode: z.string().optional(),
  ...place,
  evidence: Evidence.optional(),
});

const AuthorizationRequestedV1 = z.strictObject({
  ...requested,
  ...money,
  processor: z.string(),
  connectionId: z.string(),
  processorToken: z.string(),
});

const AuthorizationRequestedV2 = AuthorizationRequestedV1.extend({
  follows: z.union([FollowUp, AskedAgainV1]).optional(),
  threeDSecure: z.literal('ask').optional(),
});

const AuthorizationRequestedV3 = AuthorizationRequestedV2.extend({ offSession: z.literal(true).optional() });
const AuthorizationRequestedV4 = AuthorizationRequestedV3.extend({ prepares: z.literal(true).optional() });

/** Where an authorization can go: the processor's name for the card is good at this connection alone. */
const Route = z.strictObject({
  processor: z.string(),
  connectionId: z.string(),
  processorToken: z.string(),
  prepares: z.literal(true).optional(),
});
const FallbackV1 = z.strictObject({
  connections: z.array(Route),
  /** NOT_SENT, REFUSED, SOFT. */
  on: z.array(z.string()),
  /** The codes of refusals after which nothing else is asked. */
  never: z.array(z.string()),
  mostAttempts: z.number(),
});
/** The name that the connection had then. */
const connectionName = z.string().optional();
/** What the rules allow after a refusal: the connections to ask then, in this order, and when. */
const Fallback = FallbackV1.extend({ connections: z.array(Route.extend({ connectionName })) });

const RouteChosenV1 = z.strictObject({
  attemptId: z.string(),
  version: z.number(),
  rule: z.string(),
  connectionId: z.string(),
  skipped: z.array(z.strictObject({ connectionId: z.string(), because: SkipReasonV1 })),
  fallback: FallbackV1.optional(),
});
export const SkippedConnection = z.strictObject({ connectionId: z.string(), connectionName, because: SkipReason });
export type SkippedConnection = z.infer<typeof SkippedConnection>;

const CaptureRequestedV1 = z.strictObject({
  ...requested,
  ...money,
  final: z.boolean(),
  metadata: Free.optional(),
});

const CustomerActionRequiredV1 = z.strictObject({
  ...learnt,
  action: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('redirect'), url: z.string() }),
    z.strictObject({ kind: z.literal('sdk'), data: Free }),
  ]),
  processorTransactionId: z.string(),
  resumeTokenHash: z.string(),
  expiresAt: Time,
});

export const paymentCategory = category(
  'payment',
  z.discriminatedUnion('type', [
    event('PaymentCreated', PaymentCreation),
    /**
     * The connection that the rules of the account chose for an authorization. `version`: of the rules. `skipped`: all
     * that would have been chosen first. `fallback`: for the payment as a whole, with its first choice.
     */
    event(
      'RouteChosen',
      RouteChosenV1.extend({
        connectionName,
        skipped: z.array(SkippedConnection),
        fallback: Fallback.optional(),
      }),
    ),
    /** Takes the place of a creation that never came, so that it never will: its claims are free. */
    event('PaymentAbandoned', z.strictObject({ accountId: z.string() })),
    event(
      'AuthorizationRequested',
      /**
       * `processorToken`: the processor's name for the card. `threeDSecure`: the issuer has asked for an authentication
       * before. `offSession`: the customer is not there to be asked. `prepares`: nothing that may move money is sent
       * before AuthorizationPrepared is on record.
       */
      AuthorizationRequestedV4.extend({ follows: z.union([FollowUp, AskedAgain]).optional() }),
    ),
    /**
     * The processor has made what the authorization confirms, under this name; nothing is held by it. The members are
     * those of a request: only now is it sent.
     */
    event(
      'AuthorizationPrepared',
      z.strictObject({ ...learnt, processorTransactionId: z.string(), sendBy: Time, nextLookUpAt: Time }),
    ),
    event(
      'CaptureRequested',
      CaptureRequestedV1.extend({ follows: z.union([FollowUp, WithAuthorization]).optional() }),
    ),
    /** The void of an authorization, or of the rest that was not captured. */
    event('CancellationRequested', z.strictObject({ ...requested, reason: z.string().optional() })),
    event(
      'RefundRequested',
      z.strictObject({
        ...requested,
        ...money,
        refundId: z.string(),
        orderId: z.string().optional(),
        reason: z.string().optional(),
        /** Empty for the reversal of a capture that is in no total. */
        allocations: z.array(Allocation),
      }),
    ),
    /** `amount` is the new total. */
    event('AdjustmentRequested', z.strictObject({ ...requested, ...money })),

    event('PaymentAuthorized', z.strictObject({ ...succeeded, ...checks })),
    event('PaymentCaptured', z.strictObject(succeeded)),
    /** `amount`: what is no longer held; absent if nothing of ours was. */
    event(
      'AuthorizationVoided',
      z.strictObject({
        ...learnt,
        processorTransactionId: z.string(),
        amount: Money.optional(),
        currencyCode: z.string().optional(),
        ...place,
      }),
    ),
    event('RefundSucceeded', z.strictObject(succeeded)),
    event('AuthorizationAdjusted', z.strictObject(succeeded)),

    /**
     * `retriedAs`: the attempt that asks again, with the authentication that the issuer wants or at another connection;
     * the payment goes on with it. `fenceAt`: the refusal is not final at the processor, which is asked for the fence
     * at this time.
     */
    event('AuthorizationDeclined', AuthorizationDeclinedV4.extend(refusal)),
    event('CaptureDeclined', Declined),
    event('CancellationDeclined', Declined),
    event('RefundDeclined', Declined),
    event('AdjustmentDeclined', Declined),

    event('AuthorizationPending', Pending),
    event('CapturePending', Pending),
    event('CancellationPending', Pending),
    event('RefundPending', Pending),
    event('AdjustmentPending', Pending),

    /** `retriedAs`: the attempt that goes on in its place. */
    event('AuthorizationNotSent', NotDone.extend({ retriedAs: z.string().optional() })),
    event('CaptureNotSent', NotDone),
    event('CancellationNotSent', NotDone),
    event('RefundNotSent', NotDone),
    event('AdjustmentNotSent', NotDone),

    event('AuthorizationOutcomeUnknown', OutcomeUnknown),
    event('CaptureOutcomeUnknown', OutcomeUnknown),
    event('CancellationOutcomeUnknown', OutcomeUnknown),
    event('RefundOutcomeUnknown', OutcomeUnknown),
    event('AdjustmentOutcomeUnknown', OutcomeUnknown),

    event('AuthorizationNotFound', NotDone),
    event('CaptureNotFound', NotDone),
    event('CancellationNotFound', NotDone),
    event('RefundNotFound', NotDone),
    event('AdjustmentNotFound', NotDone),

    event('CaptureReturned', Returned),
    event('RefundReturned', Returned),

    /** `final`: nothing is held after it. */
    event('CapturedOutside', Outside.extend({ final: z.boolean() })),
    event('RefundedOutside', Outside.extend({ allocations: z.array(Allocation) })),
    event('VoidedOutside', Outside),
    /** `amount` is the new total. */
    event('RaisedOutside', Outside),
    /**
     * What is known of the payment at the processor as a whole. changed: the processor says that something is new, and
     * the payment is to be read. unreachable: a read was not answered. agrees: a read shows what is on record.
     * differs: a read shows what no rule explains; an operator closes it. The amounts are those that were read.
     * `nextLookUpAt`: when the processor is read next; absent if nothing is owed.
     */
    event(
      'StandingRecorded',
      z.strictObject({
        evidence: Evidence,
        answer: z.enum(['changed', 'unreachable', 'agrees', 'differs']),
        captured: Money.optional(),
        capturable: Money.optional(),
        refunded: Money.optional(),
        currencyCode: z.string().optional(),
        nextLookUpAt: Time.optional(),
      }),
    ),
    /** An operator has seen to a difference; another one opens again. */
    event('DifferenceAccepted', z.strictObject({ evidence: Evidence })),
    /**
     * The processor's report on a manually confirmed attempt: its id and, for a capture, its amount. It is booked once.
     */
    event('SuccessConfirmed', z.strictObject({ ...succeeded, ...confirmed, ...checks })),
    /**
     * A later word of the processor says again what is on record of a capture or refund: an older contrary one changes
     * nothing. `code`: of a refusal.
     */
    event(
      'OutcomeRepeated',
      z.strictObject({
        ...learnt,
        operation: Operation,
        code: z.string().optional(),
        declineType: z.enum(['SOFT', 'HARD']).optional(),
      }),
    ),
    /** A success that the payment does not expect; its amount is in no total, and it is reversed if possible. */
    event('LateSuccessRecorded', z.strictObject({ ...succeeded, operation: Operation })),
    /**
     * A success in another amount or currency than asked: nothing is built on it. `nextLookUpAt`: where it stays open.
     */
    event('MismatchRecorded', z.strictObject({ ...succeeded, operation: Operation, nextLookUpAt: Time.optional() })),
    /** The processor was asked, and the matter stays open. */
    event(
      'LookUpRecorded',
      z.strictObject({
        ...learnt,
        operation: Operation,
        answer: z.enum([
          'succeeded',
          'declined',
          'requires_action',
          'pending',
          'unknown',
          'not_found',
          'not_sent',
          'unreachable',
        ]),
        nextLookUpAt: Time,
      }),
    ),
    /** The attempt can no longer take effect. */
    event('AttemptFenced', z.strictObject({ ...learnt, operation: Operation })),

    /** The customer has to do something before the authorization goes on. */
    event(
      'CustomerActionRequired',
      /** `show`: the customer pays elsewhere with what is shown, such as a voucher's numbers. */
      CustomerActionRequiredV1.extend({
        action: z.discriminatedUnion('kind', [
          ...CustomerActionRequiredV1.shape.action.options,
          z.strictObject({ kind: z.literal('show'), data: Free }),
        ]),
      }),
    ),
    /**
     * The customer came back with the resume token, which is used up by it; the processor is asked to go on. The
     * members are those of a request.
     */
    event('AuthorizationResumed', z.strictObject({ attemptId: z.string(), sendBy: Time, nextLookUpAt: Time })),
    /**
     * The result of the authentication, as the processor reports it; the outcome of the authorization is a separate
     * fact.
     */
    event('AuthenticationCompleted', z.strictObject({ ...learnt, threeDSecure: Free, nextLookUpAt: Time })),
    /**
     * The customer chose another way to pay. `nextLookUpAt`: when the processor is asked to withdraw the action, unless
     * that is recorded by then.
     */
    event('CustomerActionGivenUp', z.strictObject({ attemptId: z.string(), nextLookUpAt: Time })),
    /** The action can no longer be done: its time is over, it was given up, or the payment was cancelled. */
    event('CustomerActionExpired', z.strictObject({ attemptId: z.string() })),

    /**
     * A cancellation is requested while the outcome of the authorization is unknown. `nextLookUpAt`: if a customer may
     * act, when the processor is asked to withdraw the action, unless that is recorded by then.
     */
    event('CancellationIntended', CancellationIntendedV1.extend({ nextLookUpAt: Time.optional() })),
    event('PaymentCancelled', z.strictObject({ attemptId: z.string(), reason: z.string().optional() })),
    /**
     * The uncaptured amount is no longer held: `amount`, absent if the authorization is not known yet. `evidence`: the
     * processor's report, or our clock where the processor cannot be asked; older events by the clock have none.
     */
    event('AuthorizationExpired', AuthorizationExpiredV1.extend({ evidence: z.union([Evidence, ByClock]).optional() })),
    /** More is refunded than captured, by `amount`: an operator has seen to it. */
    event('OverRefundAccepted', z.strictObject({ ...money, evidence: Evidence })),
    /** The result of `vaultOnSuccess`: the token of the vaulted card, or the errorId of the refusal. */
    event(
      'VaultingRecorded',
      z.strictObject({ paymentMethodToken: z.string().optional(), refused: z.string().optional() }),
    ),

    /** Its first round, or a later one of the same dispute, with the amount and the deadline of that round. */
    event('DisputeOpened', DisputeOpenedV1.extend({ round: z.int().min(1), type: z.enum(disputeTypes) })),
    /** Evidence that the merchant keeps, and has not sent: it takes the place of what was kept before. */
    event('DisputeEvidenceDrafted', DisputeEvidenceDrafted),
    /** The answer goes to the processor: the evidence that is kept, or the acceptance. */
    event(
      'DisputeAnswerRequested',
      z.strictObject({
        disputeId: z.string(),
        /** `<paymentId>.<suffix>`: our own name for the answer. */
        answerId: z.string(),
        /** The answer's name and idempotency key at the processor (reference.ts). */
        reference: z.string(),
        answer: z.enum(['evidence', 'acceptance']),
        requestedAt: Time,
        sendBy: Time,
        nextLookUpAt: Time,
      }),
    ),
    /** The processor refused it: the dispute is as it was. */
    event(
      'DisputeAnswerDeclined',
      z.strictObject({ ...answered, code: z.string(), declineType: z.enum(['SOFT', 'HARD']) }),
    ),
    event('DisputeAnswerPending', z.strictObject({ ...answered, nextLookUpAt: Time })),
    event('DisputeAnswerNotSent', z.strictObject(answered)),
    event('DisputeAnswerOutcomeUnknown', z.strictObject({ ...answered, nextLookUpAt: Time })),
    event('DisputeAnswerNotFound', z.strictObject(answered)),
    /**
     * The processor was asked, and the matter stays open: an answer, or without `answerId` a dispute that is overdue or
     * not decided.
     */
    event(
      'DisputeLookUpRecorded',
      DisputeLookUpRecordedV2.extend({
        answer: z.enum([...DisputeLookUpRecordedV2.shape.answer.options, 'undecided', 'untold']),
      }),
    ),
    /**
     * `submission`: what the merchant says; `submitted`: it has gone to the issuer. `nextLookUpAt`: when the processor
     * is asked for the issuer's decision, unless it has told by then.
     */
    event('DisputeEvidenceSubmitted', DisputeEvidenceSubmittedV2),
    event('DisputeAccepted', Dispute),
    event('DisputeWon', Dispute),
    event('DisputeLost', Dispute),
    /**
     * It ended before it became a chargeback. `amount`: what the processor refunded for that, apart from refunds on
     * record; `refunds`: its names of those refunds, where it says.
     */
    event('DisputePrevented', Dispute.extend({ ...money, refunds: z.array(z.string()) })),
    /** Nobody answered in time. By our own clock it is the end only until the processor says what it was. */
    event('DisputeExpired', Dispute.extend({ evidence: z.union([Evidence, ByClock]) })),
    /** Its personal data was erased; the payment itself, and its money, stay as they are. */
    event('CustomerErased', CustomerErased),
  ]),
  {
    PaymentCreated: [
      upcast(PaymentCreationV1, (older) => older),
      upcast(PaymentCreationV2, (older) => older),
      upcast(PaymentCreationV3, (older) => older),
      upcast(PaymentCreationV4, (older) => older),
      upcast(PaymentCreationV5, (older) => older),
      upcast(PaymentCreationV5, (older) => older),
      upcast(PaymentCreationV7, (older) => older),
      upcast(PaymentCreationV8, (older) => older),
    ],
    AuthorizationRequested: [
      upcast(AuthorizationRequestedV1, (older) => older),
      upcast(AuthorizationRequestedV2, (older) => older),
      upcast(AuthorizationRequestedV3, (older) => older),
      upcast(AuthorizationRequestedV4, (older) => older),
    ],
    AuthorizationNotSent: [upcast(NotDone, (older) => older)],
    AuthorizationDeclined: [
      upcast(DeclinedV1, (older) => older),
      upcast(AuthorizationDeclinedV2, (older) => older),
      upcast(AuthorizationDeclinedV3, (older) => older),
      upcast(AuthorizationDeclinedV4, (older) => older),
    ],
    RouteChosen: [upcast(RouteChosenV1, (older) => older)],
    CaptureRequested: [upcast(CaptureRequestedV1, (older) => older)],
    CustomerActionRequired: [upcast(CustomerActionRequiredV1, (older) => older)],
    PaymentAuthorized: [upcast(PaymentAuthorizedV1, (older) => older), upcast(PaymentAuthorizedV2, (older) => older)],
    SuccessConfirmed: [upcast(SuccessConfirmedV1, (older) => older), upcast(SuccessConfirmedV2, (older) => older)],
    CaptureDeclined: [upcast(DeclinedV1, (older) => older), upcast(DeclinedV2, (older) => older)],
    CancellationDeclined: [upcast(DeclinedV1, (older) => older), upcast(DeclinedV2, (older) => older)],
    RefundDeclined: [upcast(DeclinedV1, (older) => older), upcast(DeclinedV2, (older) => older)],
    AdjustmentDeclined: [upcast(DeclinedV1, (older) => older), upcast(DeclinedV2, (older) => older)],
    CancellationIntended: [upcast(CancellationIntendedV1, (older) => older)],
    DisputeOpened: [upcast(DisputeOpenedV1, (older) => ({ ...older, round: 1, type: 'DISPUTE' as const }))],
    DisputeLookUpRecorded: [
      upcast(DisputeLookUpRecordedV1, (older) => older),
      upcast(DisputeLookUpRecordedV2, (older) => older),
    ],
    DisputeEvidenceDrafted: [upcast(DisputeEvidenceDrafted, (older) => older)],
    DisputeEvidenceSubmitted: [
      upcast(DisputeEvidenceSubmittedV1, (older) => older),
      upcast(DisputeEvidenceSubmittedV2, (older) => older),
    ],
    AuthorizationExpired: [upcast(AuthorizationExpiredV1, (older) => older)],
    DisputeExpired: [upcast(Dispute, (older) => older)],
  },
);
export type PaymentEvent = z.infer<typeof paymentCategory.event>;

/**
 * The facts that a merchant may read whole, each member as it is; of the others `src/http/answers/payment-event.ts`
 * lists what is public.
 */
export const SHOWN_WHOLE = [
  'CustomerErased',
  'CustomerActionExpired',
  'DisputeEvidenceDrafted',
  'PaymentCancelled',
  'VaultingRecorded',
] as const satisfies readonly PaymentEvent['type'][];

/** The event of a type. */
export type Fact<T extends PaymentEvent['type']> = Extract<PaymentEvent, { readonly type: T }>;
