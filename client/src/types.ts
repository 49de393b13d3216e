// The API's objects by name, as the generated types have them: amounts in minor units, times as RFC 3339 text
// (contract §1).
import type { components, operations } from './api-types.ts';

type Schemas = components['schemas'];

/** Open, as every enumeration of an answer is: a value may be new (contract §1). */
export type ErrorId = Schemas['Error']['error']['errorId'];
/** The ids that this version of the client knows by name. */
export type KnownErrorId = Known<ErrorId>;
/** The literals of an open enumeration, without the `string` that keeps it open. */
type Known<Value> = Value extends string ? (string extends Value & string ? never : Value) : never;

export type ErrorFields = Schemas['Error']['error'];
export type StatusReason = Schemas['StatusReason'];
export type ValidationErrors = NonNullable<ErrorFields['validationErrors']>;

export type ClientSession = Schemas['ClientSession'];
export type CreatedClientSession = Schemas['CreatedClientSession'];
export type ClientSessionFields = Schemas['ClientSessionFields'];
/** Null clears a member; contract §3 describes the effect of a nested object. */
export type ClientSessionChanges = Omit<Schemas['PatchClientSession'], 'clientToken'>;
export type ClientToken = Schemas['ClientToken'];

export type Payment = Schemas['Payment'];
/** What an operation would do: whether the service refuses it, and which connection it would ask. */
export type DryRun = Schemas['DryRun'];
/** A processor account: what it can do, and whether it responds. */
export type Connection = Schemas['Connection'];
export type PaymentStatus = Schemas['PaymentStatus'];
export type PaymentListItem = Schemas['PaymentItem'];
export type PaymentEvent = Schemas['PaymentEvent'];
export type PaymentWhyStep = Schemas['PaymentWhyStep'];
export type Transaction = Schemas['Transaction'];
export type AuthorizeFields = Schemas['AuthorizePayment'];
export type CaptureFields = Schemas['CapturePayment'];
export type CancelFields = Schemas['CancelPayment'];
export type RefundFields = Schemas['RefundPayment'];
export type DisputeEvidenceFields = Schemas['DisputeEvidence'];
export type AdjustFields = Schemas['AdjustAuthorization'];
export type ResumeFields = Schemas['ResumePayment'];
export type RequiredAction = Schemas['RequiredAction'];
/** The filters of GET /payments; `limit` is the size of a page, not of the list. */
export type PaymentFilter = Omit<NonNullable<operations['listPayments']['parameters']['query']>, 'cursor'>;

/** A message about a payment, as GET /events has it. */
export type PaymentMessage = Schemas['PaymentMessage'] & { readonly agreement?: undefined };
/** A message about an agreement; `charge` is the period whose try has its outcome. */
export type AgreementMessage = Schemas['AgreementMessage'] & { readonly payment?: undefined };
/** A message of GET /events: `payment` or `agreement` is there. */
export type EventMessage = PaymentMessage | AgreementMessage;
/** The body of a webhook: an EventMessage, and the sequence of the message before it to this endpoint. */
export type WebhookMessage = (Schemas['WebhookMessage'] & { readonly agreement?: undefined }) | AgreementMessage;
/** The body of a webhook about a checkpoint of the log; `checkpoint` is a file for `counterfoil-verify`. */
export type CheckpointMessage = Schemas['CheckpointMessage'];
/** A signed receipt about the log, with what shows that it extends the previous one. */
export type Checkpoint = Schemas['Checkpoint'];
/** Open, as ErrorId: with `switch` an editor offers the known ones, and `default` takes what is new. */
export type WebhookEventType = WebhookMessage['eventType'];
/** `after`: an eventId. `limit` is the size of a page, not of the list. */
export type EventFilter = Omit<NonNullable<operations['listEvents']['parameters']['query']>, 'cursor'>;

export type PaymentInstrument = Schemas['PaymentInstrument'];
export type VaultFields = Schemas['VaultPaymentInstrument'];

/** What a customer agreed to, and the newest periods. */
export type Agreement = Schemas['Agreement'];
/** A period, by its newest try. */
export type AgreementPeriod = Schemas['AgreementPeriod'];
export type AgreementFields = Schemas['CreateAgreement'];
export type AgreementWhyStep = Schemas['AgreementWhyStep'];
/** Null clears `retry` and `metadata`. */
export type AgreementChanges = Schemas['PatchAgreement'];
export type AgreementNoticeFields = Schemas['AgreementNotice'];
export type ChargeFields = Schemas['ChargeAgreement'];
/** `limit` is the size of a page, not of the list. */
export type AgreementFilter = Omit<NonNullable<operations['listAgreements']['parameters']['query']>, 'cursor'>;

/** `status`: PAID once its payment is authorized or captured. */
export type PaymentLink = Schemas['PaymentLink'];
export type PaymentLinkFields = Schemas['CreatePaymentLink'];
