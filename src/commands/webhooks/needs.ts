// The functions that commands on webhooks need.

import type { Deadlines } from '../../deadlines.ts';
import type { Account, AccountEvent } from '../../domain/account.ts';
import type { Act, ActEvent } from '../../domain/act.ts';
import type { AgreementEvent } from '../../domain/agreement/events.ts';
import type { ToldAgreement } from '../../domain/agreement/message.ts';
import type { Agreement } from '../../domain/agreement/state.ts';
import type { ApiKey, ApiKeyEvent } from '../../domain/api-key.ts';
import type { CheckpointEvent, CheckpointMade, Checkpoints } from '../../domain/checkpoint.ts';
import type { AgreementTold, PaymentTold } from '../../domain/message.ts';
import type { PaymentEvent } from '../../domain/payment/events.ts';
import type { KnownPayment, Payment } from '../../domain/payment/payment.ts';
import type { WebhookEndpoint, WebhookEndpointEvent } from '../../domain/webhook-endpoint.ts';
import type { WebhookQueueEvent } from '../../domain/webhook-queue/events.ts';
import type { WebhookQueue } from '../../domain/webhook-queue/state.ts';
import type { Streams } from '../../journal/streams.ts';
import type { StoreKey } from '../../secrets.ts';
import type { World } from '../../world.ts';
import type { Idempotency } from '../idempotency.ts';
import type { Post } from './post.ts';

export interface WebhookNeeds {
  readonly accounts: Streams<Account, AccountEvent>;
  readonly acts: Streams<Act, ActEvent>;
  readonly apiKeys: Streams<ApiKey, ApiKeyEvent>;
  readonly payments: Streams<Payment, PaymentEvent>;
  readonly agreements: Streams<Agreement, AgreementEvent>;
  readonly checkpoints: Streams<Checkpoints, CheckpointEvent>;
  readonly webhookEndpoints: Streams<WebhookEndpoint, WebhookEndpointEvent>;
  readonly webhookQueues: Streams<WebhookQueue, WebhookQueueEvent>;
  readonly idempotency: Idempotency;
  readonly storeKey: StoreKey;
  readonly world: World;
  /** In live mode endpoints are public, and https. */
  readonly mode: 'test' | 'live';
  /** True if a receiver may be called at an address: in test mode at any. */
  readonly isAllowedAddress: (address: string) => boolean;
  /** Calls a receiver. */
  readonly post: Post;
  /** The deadlines of those calls: ANSWER_WITHIN_MS each. */
  readonly deadlines: Deadlines;
  /** A short pause that those who record attempts share, so that they share a commit. */
  readonly beforeRecord: () => Promise<void>;
  /** The body of a message about a payment, without its previous sequence. */
  readonly paymentMessage: (message: PaymentTold, payment: KnownPayment) => { readonly eventId: string };
  /** The body of a message about an agreement, without its previous sequence. */
  readonly agreementMessage: (message: AgreementTold, told: ToldAgreement) => { readonly eventId: string };
  /** The body of a message about a checkpoint; `date`: when it was recorded, ms. */
  readonly checkpointMessage: (
    told: { readonly eventId: string; readonly sequence: number; readonly date: number },
    checkpoint: CheckpointMade,
  ) => { readonly eventId: string };
  /** Rejects with StoreUnavailable while an append could not be projected. */
  readonly mayWrite: () => Promise<void> | undefined;
  /** How many enabled endpoints the account has; one that was added a moment ago may be left out. */
  readonly countEndpoints: (accountId: string) => Promise<number>;
}
