// The entry of the package `@counterfoil/client`: everything that a merchant imports.

// biome-ignore-start lint/performance/noBarrelFile: the entry of a package has no other form
export type { Answered, CallOptions, ConditionalOptions, ResponseFacts, WriteOptions } from './call.ts';
export type { Checkpoints } from './checkpoints.ts';
export type { ClientSessions } from './client-sessions.ts';
export type { Connections } from './connections.ts';
export { Counterfoil, type CounterfoilOptions } from './counterfoil.ts';
export {
  CounterfoilError,
  CounterfoilNoAnswer,
  type NoAnswerReason,
  type WebhookFault,
  WebhookVerificationError,
} from './errors.ts';
export type { Events } from './events.ts';
export type { Instruments } from './instruments.ts';
export type { List, Page } from './list.ts';
export type { PaymentLinks } from './payment-links.ts';
export type { DryRuns, GetOptions, PaymentOutcome, Payments } from './payments.ts';
export { type SignedWebhook, type SignOptions, signTestWebhook, type TestMessage } from './sign-webhook.ts';
export type * from './types.ts';
export { type VerifyOptions, verifyWebhook, type WebhookHeaders } from './verify-webhook.ts';
// biome-ignore-end lint/performance/noBarrelFile: the entry of a package has no other form
