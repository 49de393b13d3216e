// The errors of the client: a refusal of the API, a call without a response, or a webhook that cannot be trusted.
import type { ErrorFields, ErrorId, KnownErrorId, StatusReason, ValidationErrors } from './types.ts';

/** The call as it ended, for both kinds of error. */
export interface CallFacts {
  /** How often the client tried to send the request; 0: never. */
  readonly attempts: number;
  /**
   * The key of a POST, PATCH or DELETE: repeat the request with it, and the effect still happens only once
   * (contract §6).
   */
  readonly idempotencyKey: string | undefined;
}

export interface UnansweredFacts extends CallFacts {
  readonly mayHaveHappened: boolean;
}

interface Refusal {
  readonly status: number;
  readonly fields: ErrorFields;
  /** Milliseconds; the server's wish, where it has one. */
  readonly retryAfterMs: number | undefined;
}

/**
 * A refusal of the API, in the words of contract §7. A declined payment is not an error: it is a payment with the
 * status DECLINED.
 */
export class CounterfoilError extends Error {
  /** Stable, for programs. Open: a later service may answer an id that this version does not know. */
  readonly errorId: ErrorId;
  /** Of HTTP. */
  readonly status: number;
  /** For people; its words may change. */
  readonly description: string;
  readonly recoverySuggestion: string | undefined;
  /** Finds the request in the service's log. */
  readonly diagnosticsId: string;
  /** Every violation of the request's schema; empty if the refusal is of another kind. */
  readonly validationErrors: ValidationErrors;
  /** The payment that the refusal is about, or that stands in the way. */
  readonly paymentId: string | undefined;
  readonly paymentStatus: string | undefined;
  readonly statusReason: StatusReason | undefined;
  readonly retryAfterMs: number | undefined;
  readonly attempts: number;
  readonly idempotencyKey: string | undefined;

  constructor({ status, fields, retryAfterMs }: Refusal, { attempts, idempotencyKey }: CallFacts) {
    super(
      `${fields.errorId}: ${fields.description}${inWords(fields.validationErrors)} (${status}, ${fields.diagnosticsId})`,
    );
    this.name = 'CounterfoilError';
    this.errorId = fields.errorId;
    this.status = status;
    this.description = fields.description;
    this.recoverySuggestion = fields.recoverySuggestion;
    this.diagnosticsId = fields.diagnosticsId;
    this.validationErrors = fields.validationErrors ?? [];
    this.paymentId = fields.paymentId;
    this.paymentStatus = fields.paymentStatus;
    this.statusReason = fields.statusReason;
    this.retryAfterMs = retryAfterMs;
    this.attempts = attempts;
    this.idempotencyKey = idempotencyKey;
  }

  /** True if a caught value is a refusal with one of these ids; without ids, if it is a refusal at all. */
  static is<Id extends KnownErrorId>(
    fault: unknown,
    ...ids: readonly Id[]
  ): fault is CounterfoilError & { readonly errorId: Id } {
    return fault instanceof CounterfoilError && (ids.length === 0 || ids.some((id) => id === fault.errorId));
  }
}

const inWords = (validationErrors: ValidationErrors | undefined): string => {
  const all = (validationErrors ?? []).flatMap(({ errors }) => errors);
  return all.map(({ path, description }) => ` ${path}: ${description}`).join('');
};

/**
 * - `network`: the connection failed or broke.
 * - `timeout`: the time of the call was over.
 * - `aborted`: the caller's own signal.
 * - `unreadable`: an answer that is none of the API's: a proxy's page, a body that was cut off, another server.
 */
export type NoAnswerReason = 'network' | 'timeout' | 'aborted' | 'unreadable';

/**
 * No answer was heard. Unless `mayHaveHappened` is false, the call may have had its effect: the money may have moved.
 * Read the payment, or send the same request again with the same `idempotencyKey`; a request with another key could
 * charge twice.
 */
export class CounterfoilNoAnswer extends Error {
  readonly reason: NoAnswerReason;
  readonly attempts: number;
  readonly idempotencyKey: string | undefined;
  /**
   * False: no attempt was sent, so nothing can have happened. The name was not found, for example, or every attempt got
   * ECONNREFUSED.
   */
  readonly mayHaveHappened: boolean;

  constructor(
    reason: NoAnswerReason,
    words: string,
    { attempts, idempotencyKey, mayHaveHappened }: UnansweredFacts,
    cause: unknown,
  ) {
    super(`${words} after ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`, { cause });
    this.name = 'CounterfoilNoAnswer';
    this.reason = reason;
    this.attempts = attempts;
    this.idempotencyKey = idempotencyKey;
    this.mayHaveHappened = mayHaveHappened;
  }
}

/**
 * - `missing_header`: a header is absent or repeated: the request is not a webhook of ours, or a proxy drops headers.
 * - `bad_signature`: the secret is another one, the body was changed, or somebody else sent the request.
 * - `bad_timestamp`: a timestamp that we would not write.
 * - `too_old`, `too_new`: further from this machine's clock than the tolerance.
 * - `not_a_message`: the signature is right, but the body is not a message of ours.
 */
export type WebhookFault =
  | 'missing_header'
  | 'bad_signature'
  | 'bad_timestamp'
  | 'too_old'
  | 'too_new'
  | 'not_a_message';

/** A call of your endpoint that is not to be trusted: answer 400, and do nothing. */
export class WebhookVerificationError extends Error {
  /** For programs. */
  readonly reason: WebhookFault;

  constructor(reason: WebhookFault, words: string) {
    super(`${words} (${reason})`);
    this.name = 'WebhookVerificationError';
    this.reason = reason;
  }
}
