// The one table from errorId to status, and the one shape of every error (contract §7).
import { z } from 'zod';
import type { RejectionDetails, RejectionId, Violation } from '../domain/decider.ts';
import { RefusedId } from '../domain/operation.ts';
import { formatTime } from '../world.ts';

/**
 * Every reason to refuse that the API has: the rejections of decisions, and the refusals before a decision is asked.
 */
type ApiErrorId =
  | RejectionId
  | 'MalformedJson'
  | 'UnsupportedApiVersion'
  | 'ConflictingCredentials'
  | 'ConflictingIdempotencyKeys'
  | 'Unauthorized'
  | 'MethodNotAllowed'
  | 'PayloadTooLarge'
  | 'UnsupportedMediaType'
  | 'InternalError';

/** The error ids that only the dashboard has; no route of the API returns them. */
type DashboardErrorId = 'CrossSiteRequest' | 'PasswordNeeded' | 'TwoFactorNeeded';

export type ErrorId = ApiErrorId | DashboardErrorId;

/** Refused by the processor, whatever the operation. */
const REFUSED = z
  .record(RefusedId, z.number())
  .parse(Object.fromEntries(RefusedId.options.map((errorId) => [errorId, 422])));

/** The status of each error id of the API (contract §7). */
export const STATUS: { readonly [E in ApiErrorId]: number } = {
  MalformedJson: 400,
  UnsupportedApiVersion: 400,
  MetadataContainsEmptyKey: 400,
  ClientSessionValidationError: 400,
  InvalidPaymentInstrumentToken: 400,
  InvalidPaymentStatus: 400,
  InvalidDisputeStatus: 400,
  InvalidAgreementStatus: 400,
  IncorrectPaymentAuthorizationType: 400,
  InvalidCursor: 400,
  ConflictingCredentials: 400,
  ConflictingIdempotencyKeys: 400,
  Unauthorized: 401,
  InsufficientScope: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  Conflict: 409,
  ClientSessionCompleted: 409,
  AmountChanged: 409,
  PaymentOperationInProgress: 409,
  PaymentAlreadyRefunded: 409,
  PaymentDisputed: 409,
  RetryNotAllowed: 409,
  PaymentInstrumentVaultedElsewhere: 409,
  IdempotencyKeyInProgress: 409,
  PreconditionFailed: 412,
  PayloadTooLarge: 413,
  UnsupportedMediaType: 415,
  RequestValidationError: 422,
  FieldNotUpdatable: 422,
  CardNumberNotAllowed: 422,
  UnprocessableCaptureAmount: 422,
  UnprocessableRefundAmount: 422,
  ...REFUSED,
  ConsentMissing: 422,
  OutsideAgreementTerms: 422,
  PeriodKeyReused: 422,
  InitialPaymentNotUsable: 422,
  OperationNotSupported: 422,
  EvidenceLimitReached: 422,
  IdempotencyKeyReused: 422,
  TooManyRequests: 429,
  InternalError: 500,
  ServiceUnavailable: 503,
};

const DASHBOARD_STATUS: { readonly [E in DashboardErrorId]: number } = {
  CrossSiteRequest: 403,
  PasswordNeeded: 403,
  TwoFactorNeeded: 403,
};

export const statusOfError = (errorId: ErrorId): number => ALL[errorId];
const ALL = { ...STATUS, ...DASHBOARD_STATUS };

/** A refusal on its way out; every Rejection of a decision is one. */
export interface Refusal extends RejectionDetails {
  readonly kind: 'rejected';
  readonly errorId: ErrorId;
  readonly description: string;
  readonly replayed?: boolean;
  /** The earlier request that was refused, where the refusal is not of this one. */
  readonly diagnosticsId?: string;
  /** Violations of several parts of a request, each under its model's name. */
  readonly models?: readonly Model[];
  /** Names and values in turn. */
  readonly headers?: readonly string[];
}

/** The violations of one part of a request. */
interface Model {
  readonly model: string;
  readonly errors: readonly Violation[];
}

export const refuse = (
  errorId: ErrorId,
  description: string,
  details: RejectionDetails & Pick<Refusal, 'models' | 'headers'> = {},
): Refusal => ({ kind: 'rejected', errorId, description, ...details });

/** For what a user may do only a few minutes after the password was given. */
export const passwordNeeded = (): Refusal => refuse('PasswordNeeded', 'Confirm your password to continue.');

/** The JSON text of a refusal of the request `requestId`; `model` names what its violations are about. */
export const errorText = (refusal: Refusal, requestId: string, model: string): string =>
  JSON.stringify({ error: errorMembers(refusal, requestId, model) });

/** The members of the error in it. */
export function errorMembers(refusal: Refusal, requestId: string, model: string) {
  const {
    errorId,
    description,
    recoverySuggestion,
    violations,
    models,
    paymentId,
    paymentStatus,
    amount,
    currencyCode,
    statusReason,
    agreementStatus,
    action,
    notBefore,
    because,
  } = refusal;
  const { diagnosticsId = requestId } = refusal;
  const validationErrors =
    models ?? (violations === undefined || violations.length === 0 ? undefined : [{ model, errors: violations }]);
  return {
    errorId,
    description,
    recoverySuggestion,
    diagnosticsId,
    validationErrors,
    paymentId,
    paymentStatus,
    amount,
    currencyCode,
    statusReason,
    agreementStatus,
    action,
    notBefore: notBefore === undefined ? undefined : formatTime(notBefore),
    because,
  };
}

export const INVALID = 'The request is not valid.';
/** Violations listed in one answer; a hostile body can hold tens of thousands. */
const MAX_VIOLATIONS = 100;
const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;

/**
 * The most characters in the name of a member in a path; a longer one comes from the body, and would appear in each of
 * its violations.
 */
const NAME_CHARACTERS = 128;
const nameOf = (step: string): string => (step.length <= NAME_CHARACTERS ? step : `${step.slice(0, NAME_CHARACTERS)}…`);

/** JSONPath from `$`. */
const jsonPath = (path: readonly PropertyKey[]): string => {
  let text = '$';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else if (NAME.test(String(step))) text += `.${String(step)}`;
    else text += `[${JSON.stringify(nameOf(String(step)))}]`;
  }
  return text;
};

/** One violation an issue, except that every unknown member is a violation of its own; the first `most` of them. */
function violationsOf(issue: z.core.$ZodIssue, path: readonly PropertyKey[], most: number): readonly Violation[] {
  const places =
    issue.code === 'unrecognized_keys' ? issue.keys.slice(0, most).map((key) => [...path, key]) : [path].slice(0, most);
  return places.map((place) => ({ path: jsonPath(place), description: issue.message }));
}

/** The number of violations in an issue. */
const countOf = (issue: z.core.$ZodIssue): number => (issue.code === 'unrecognized_keys' ? issue.keys.length : 1);

const errorIdOf = (issue: z.core.$ZodIssue): unknown =>
  issue.code === 'custom' ? issue.params?.['errorId'] : undefined;

const isSize = ({ code }: z.core.$ZodIssue): boolean => code === 'too_big' || code === 'too_small';

/**
 * Zod measures members of the wrong type too, and against each limit. Of several sizes the narrowest is told; beside a
 * type none.
 */
function oneSizeAPlace(issues: readonly z.core.$ZodIssue[]): readonly z.core.$ZodIssue[] {
  const told = new Map<string, z.core.$ZodIssue>();
  for (const issue of issues) {
    const place = jsonPath(issue.path);
    if (issue.code === 'invalid_type' || (isSize(issue) && told.get(place)?.code !== 'invalid_type'))
      told.set(place, issue);
  }
  return issues.filter((issue) => !isSize(issue) || told.get(jsonPath(issue.path)) === issue);
}

/**
 * All violations in one refusal. The first step of each issue's path says which part it is about; `modelOf` names that
 * part. Issues that carry an errorId of their own (`params.errorId`) decide it only when there are no others.
 */
export function invalid(found: readonly z.core.$ZodIssue[], modelOf: (part: PropertyKey) => string): Refusal {
  const issues = oneSizeAPlace(found);
  const models = new Map<string, Violation[]>();
  let listed = 0;
  for (const issue of issues) {
    const [part = 'body', ...path] = issue.path;
    const errors = models.get(modelOf(part)) ?? [];
    errors.push(...violationsOf(issue, path, Math.max(0, MAX_VIOLATIONS - listed)));
    listed += countOf(issue);
    models.set(modelOf(part), errors);
  }
  const listing = {
    models: [...models].map(([model, errors]) => ({ model, errors })).filter(({ errors }) => errors.length > 0),
  };
  if (issues.every((issue) => errorIdOf(issue) === 'CardNumberNotAllowed')) {
    return refuse(
      'CardNumberNotAllowed',
      'A text field contains a card number. Card numbers belong only in tokenization.',
      listing,
    );
  }
  if (issues.every((issue) => errorIdOf(issue) === 'MetadataContainsEmptyKey')) {
    return refuse('MetadataContainsEmptyKey', 'A key in metadata is empty.', listing);
  }
  const more = listed > MAX_VIOLATIONS ? ` The first ${MAX_VIOLATIONS} of ${listed} violations are listed.` : '';
  return refuse('RequestValidationError', `${INVALID}${more}`, listing);
}

export const ERROR_WORDS: { readonly [E in ApiErrorId]: string } = {
  MalformedJson: 'The body cannot be read as JSON, or is absent in a PUT.',
  UnsupportedApiVersion: '`X-Api-Version` names another version than 1.0.',
  MetadataContainsEmptyKey: 'A key in metadata is empty.',
  ClientSessionValidationError:
    'The client token is forged, expired, or of another account; or the session has expired.',
  InvalidPaymentInstrumentToken:
    'The payment method token is unknown, used, expired, closed, deleted, or of another account.',
  InvalidPaymentStatus: 'The operation is not possible in this status; has `paymentId` and `paymentStatus`.',
  InvalidDisputeStatus: 'The dispute no longer accepts this response.',
  InvalidAgreementStatus: 'The agreement does not allow this in its status; has `agreementStatus`, and `action`.',
  IncorrectPaymentAuthorizationType: 'Only an ESTIMATED authorization can be adjusted.',
  InvalidCursor: 'The cursor belongs to other filters, or is not one.',
  ConflictingCredentials: 'An API key and a client token were both sent.',
  ConflictingIdempotencyKeys: 'The idempotency key is too long, or both headers differ.',
  Unauthorized: 'The credential is missing, malformed, unknown, expired or revoked.',
  InsufficientScope: 'The key lacks a scope, which the description names.',
  NotFound: 'The resource does not exist, or belongs to another account.',
  MethodNotAllowed: 'The path has other methods, named in `Allow`.',
  Conflict: 'Five attempts lost to other writers, or the resource is not in a state for this.',
  ClientSessionCompleted: 'A payment of the session is in progress or complete; has `paymentId`.',
  AmountChanged: 'The amount of the session changed before the payment; has `amount` and `currencyCode`.',
  PaymentOperationInProgress: 'Another operation of the payment has no known outcome yet.',
  PaymentAlreadyRefunded: 'Nothing is left to refund.',
  PaymentDisputed: 'A dispute stops the refund or the erasure.',
  RetryNotAllowed: 'The period cannot be tried now: has `because`, and `notBefore` unless it is never.',
  PaymentInstrumentVaultedElsewhere: 'The instrument is saved for another customer.',
  IdempotencyKeyInProgress: 'A call with this key still runs.',
  PreconditionFailed: 'The resource has another version than `If-Match` names.',
  PayloadTooLarge:
    'The body is over 256 KiB; over 512 KiB with the fields of a session. The description names the limit.',
  UnsupportedMediaType: 'The body is not JSON in UTF-8, or has a content encoding.',
  RequestValidationError: 'The body or the query breaks the schema; has `validationErrors`.',
  FieldNotUpdatable: 'A PATCH changes `paymentMethod.options`, or what the customer has agreed to.',
  CardNumberNotAllowed: 'A field holds a card number where none is allowed.',
  UnprocessableCaptureAmount: 'The amount is more than can be captured.',
  UnprocessableRefundAmount: 'The amount is more than can be refunded.',
  CaptureDeclined: 'The processor refused the capture; has `statusReason`.',
  CancellationDeclined: 'The processor refused the cancellation; has `statusReason`.',
  RefundDeclined: 'The processor refused the refund; has `statusReason`.',
  AdjustmentDeclined: 'The processor refused the adjustment; has `statusReason`.',
  ConsentMissing: 'The customer has not agreed to the `agreement` of the session.',
  OutsideAgreementTerms: 'The customer has not agreed to this charge, or to these terms; has `validationErrors`.',
  PeriodKeyReused: 'The period was charged with another amount, currency or order; has `paymentId`.',
  InitialPaymentNotUsable: 'The payment cannot begin an agreement; the description says why.',
  OperationNotSupported: 'The processor cannot do this, or the data is of a time before encryption.',
  EvidenceLimitReached: 'The dispute has 50 versions of its evidence, or all evidence of the payment is too large.',
  IdempotencyKeyReused: 'The key was sent before with another request.',
  TooManyRequests: 'A limit is reached; the description names it.',
  InternalError: 'The service failed; the log has the `diagnosticsId`.',
  ServiceUnavailable: 'A store is unavailable, a circuit is open, or too much long work is asked for.',
};
