// The meaning of each type of event of a payment, for the description of the API and the contract (contract §4).
import { Operation } from '../operation.ts';
import type { PaymentEvent } from './events.ts';
import type { OperationEvent, Result } from './fact-names.ts';
import { factsOf } from './operations.ts';

/** The operation is the subject: "The capture …". */
const RESULTS: { readonly [R in Result]: string } = {
  requested: 'is on record, and is sent to the processor next.',
  succeeded: 'succeeded.',
  declined: 'was refused; `networkCode` and `advice` (DO_NOT_RETRY, RETRY_LATER, UPDATE_DATA) if reported.',
  pending: 'was accepted; the outcome follows.',
  not_sent: 'provably never reached the processor.',
  unknown: 'was sent, and the response was lost.',
  not_found: 'was never seen by the processor.',
  returned: 'succeeded before, and was returned.',
  outside: 'happened at the processor itself; the service did not ask for it.',
};

const OTHERS: { readonly [T in Exclude<PaymentEvent['type'], OperationEvent['type']>]: string } = {
  PaymentCreated: 'The payment was created; `shown` is the amount on the pay button, from the checkout.',
  PaymentAbandoned: 'The creation of the payment was given up for good.',
  RouteChosen: 'The rules chose a connection: `version`, `rule`, `connectionId`, `connectionName`, `skipped`.',
  AuthorizationPrepared: 'The processor created what the authorization confirms; nothing is held yet.',
  AuthorizationResumed: 'The customer came back from the action.',
  AuthorizationExpired: 'The rest of the authorization is no longer held; `amount` if that was more than zero.',
  AuthenticationCompleted: 'The result of 3-D Secure; the outcome of the authorization follows.',
  CustomerActionRequired: 'The customer has to act.',
  CustomerActionGivenUp: 'The customer wants to pay in another way.',
  CustomerActionExpired: 'The customer can no longer act.',
  CancellationIntended: 'A cancellation was requested during an attempt; the processor is asked next.',
  PaymentCancelled: 'The payment was cancelled without a void.',
  SuccessConfirmed: 'The processor confirmed a success that an operator had confirmed manually.',
  OutcomeRepeated: 'A later report repeats the recorded outcome of a capture or refund.',
  LateSuccessRecorded: 'An attempt succeeded when the payment had no place for the success.',
  MismatchRecorded: 'An attempt succeeded with another amount or currency.',
  LookUpRecorded: 'The processor was asked, and the outcome is still open.',
  AttemptFenced: 'The attempt can no longer take effect.',
  OverRefundAccepted: 'An operator closed `OVER_REFUNDED`.',
  StandingRecorded: 'The payment at the processor: it reports a change, did not answer, agrees, or differs.',
  DifferenceAccepted: 'An operator closed `DIFFERS`.',
  VaultingRecorded: 'The outcome of `vaultOnSuccess`.',
  CustomerErased: 'The personal data of the customer was erased.',
  DisputeOpened: 'A dispute, or a later round of one, was opened.',
  DisputeEvidenceDrafted: 'Evidence was stored as a draft.',
  DisputeEvidenceSubmitted: 'The processor has the evidence (`submitted`), or it was stored by an older version.',
  DisputeAnswerRequested: 'A response to the dispute is on record, and is sent next.',
  DisputeAnswerDeclined: 'The processor refused the response to the dispute.',
  DisputeAnswerPending: 'The response to the dispute was accepted; the outcome follows.',
  DisputeAnswerNotSent: 'The response to the dispute provably never reached the processor.',
  DisputeAnswerOutcomeUnknown: 'The response to the dispute was sent, and the answer was lost.',
  DisputeAnswerNotFound: 'The response to the dispute was never seen by the processor.',
  DisputeLookUpRecorded: 'The processor was asked about the dispute, which is still open.',
  DisputeAccepted: 'The merchant accepted the dispute.',
  DisputeWon: 'The dispute was won.',
  DisputeLost: 'The dispute was lost.',
  DisputeExpired: 'The deadline passed without a response.',
  DisputePrevented: 'The dispute was stopped before it became a chargeback.',
};

/** A sentence for each type. */
export const FACT_WORDS: { readonly [type: string]: string } = {
  ...Object.fromEntries(
    Operation.options.flatMap((operation) =>
      Object.entries(factsOf(operation)).map(([result, type]) => [type, sentence(operation, result)]),
    ),
  ),
  ...OTHERS,
};

function sentence(operation: Operation, result: string): string {
  const [, words = ''] = Object.entries(RESULTS).find(([name]) => name === result) ?? [];
  return `The ${operation} ${words}`;
}
