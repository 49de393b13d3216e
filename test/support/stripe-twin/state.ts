// What the twin remembers of one account, and the movements of money that its tests look at.
import type Stripe from 'stripe';
import type { Card, MethodType } from './cards.ts';
import type { ErrorBody } from './failure.ts';
import { IdempotencyKeys } from './idempotency.ts';
import type { Lie } from './lies.ts';

export interface Method {
  readonly id: string;
  readonly card: Card;
  /** Who it is attached to, by a success with `setup_future_usage`: it is charged again for that customer alone. */
  customer?: string;
}

export interface Charge {
  readonly id: string;
  readonly intent: Intent;
  readonly method: Method;
  readonly createdAt: number;
  readonly failure?: ErrorBody;
  /** What the issuer approved; increments raise it. */
  authorized: number;
  captured: number;
  /** What is held and was not captured. */
  held: number;
  readonly captureBefore: number;
  readonly threeDSecure?: 'challenge' | 'frictionless';
  dispute?: Dispute;
}

export interface Intent {
  readonly id: string;
  readonly clientSecret: string;
  readonly createdAt: number;
  readonly currency: string;
  readonly captureMethod: 'automatic' | 'automatic_async' | 'manual';
  /** `allowed_payment_method_types`, as it was sent. */
  readonly types: readonly MethodType[] | undefined;
  readonly suffix?: string;
  readonly customer?: string;
  readonly isKept: boolean;
  readonly options: {
    readonly threeDSecure: 'any' | 'automatic' | 'challenge';
    readonly multicapture: boolean;
    readonly incremental: boolean;
    /** What the card is charged for without its customer. */
    readonly usage?: 'installment' | 'recurring' | 'unscheduled';
  };
  amount: number;
  status: 'canceled' | 'processing' | 'requires_action' | 'requires_capture' | 'requires_payment_method' | 'succeeded';
  metadata: Readonly<Record<string, string>>;
  method?: Method;
  /** The challenge that waits for the customer. */
  action?: { readonly returnUrl?: string };
  charge?: Charge;
  lastError?: ErrorBody;
  increments: number;
  canceledAt?: number;
  cancellationReason?: string;
  /** True while a request on it runs. */
  isLocked: boolean;
  /** What a lying twin still shows, and until when. */
  stale?: { readonly shown: Stripe.PaymentIntent; readonly until: number };
}

export interface Refund {
  readonly id: string;
  readonly intent: Intent;
  readonly charge: Charge;
  readonly amount: number;
  readonly createdAt: number;
  readonly metadata: Readonly<Record<string, string>>;
  readonly reason?: string;
  status: 'failed' | 'pending' | 'succeeded';
  failureReason?: string;
}

export interface Dispute {
  readonly id: string;
  readonly charge: Charge;
  readonly amount: number;
  readonly reason: string;
  readonly createdAt: number;
  status: Stripe.Dispute.Status;
  readonly caseType: Stripe.Dispute.PaymentMethodDetails.Card.CaseType;
  /** That a prevention made. */
  readonly refunds?: readonly Refund[];
  evidence: Readonly<Record<string, string>>;
  submissions: number;
}

export interface Token {
  readonly id: string;
  readonly card: Card;
  readonly createdAt: number;
  /** Whether the fields knew of a later use; undefined for a token that no fields made. */
  isToBeKept?: boolean;
  usedBy?: Intent;
}

export interface Endpoint {
  readonly id: string;
  readonly url: string;
  /** The current secret, then an older one that still signs. */
  readonly secrets: readonly [string, string?];
  readonly events: readonly string[];
  readonly createdAt: number;
}

/** One movement of money, in the order in which it took effect. */
export interface Effect {
  readonly kind: 'hold' | 'increase' | 'release' | 'capture' | 'refund' | 'refund_returned';
  /** `metadata[counterfoil_reference]` of the request, otherwise of the PaymentIntent. */
  readonly reference: string | undefined;
  /** `metadata[counterfoil_payment]` of the PaymentIntent. */
  readonly payment: string | undefined;
  /** The idempotency key of the request that moved the money, if one did. */
  readonly key: string | undefined;
  readonly amount: number;
  readonly currency: string;
  readonly paymentIntent: string;
  readonly charge: string;
  /** By the twin's clock, in ms. */
  readonly at: number;
}

export interface AccountOptions {
  readonly id: string;
  readonly country: string;
  readonly defaultCurrency: string;
  readonly isLive: boolean;
  readonly secretKey: string;
  readonly publishableKey: string;
  readonly descriptor: string;
}

export class Account {
  readonly options: AccountOptions;
  readonly keys: IdempotencyKeys;
  readonly endpoints: Endpoint[] = [];
  readonly intents = new Map<string, Intent>();
  readonly refunds = new Map<string, Refund>();
  readonly disputes = new Map<string, Dispute>();
  readonly tokens = new Map<string, Token>();
  readonly customers = new Set<string>();
  /** Those that are attached to a customer. */
  readonly methods = new Map<string, Method>();
  readonly events: Stripe.Event[] = [];
  /** The root of the address of the pages that the twin serves; without a port it serves none, and names them. */
  root = 'http://twin.example';

  constructor(options: AccountOptions, lies: ReadonlySet<Lie>) {
    this.options = options;
    this.keys = new IdempotencyKeys(lies);
  }
}
