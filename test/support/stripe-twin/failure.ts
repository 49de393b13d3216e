// Errors in Stripe's shape.
import type Stripe from 'stripe';

export interface ErrorBody {
  readonly type: 'api_error' | 'card_error' | 'idempotency_error' | 'invalid_request_error';
  readonly message: string;
  readonly code?: string;
  readonly decline_code?: string;
  readonly param?: string;
  readonly payment_intent?: Stripe.PaymentIntent;
  readonly charge?: string;
  readonly advice_code?: string;
  readonly network_decline_code?: string;
  readonly request_log_url?: string;
}

/** Thrown by whatever refuses a request; the server answers it. */
export class Failure extends Error {
  readonly status: number;
  readonly body: ErrorBody;

  constructor(status: number, body: ErrorBody) {
    super(body.message);
    this.status = status;
    this.body = body;
  }
}

/** A 400 with the code, if Stripe has one. */
export const invalid = (message: string, more: Partial<ErrorBody> = {}): Failure =>
  new Failure(400, { type: 'invalid_request_error', message, ...more });

export const missing = (kind: string, id: string, param = 'id'): Failure =>
  new Failure(404, {
    type: 'invalid_request_error',
    code: 'resource_missing',
    message: `No such ${kind}: '${id}'`,
    param,
  });
