// Who does what, when, and on whose behalf: what every appended event carries besides its content.
export type ActorKind = 'apiKey' | 'checkout' | 'operator' | 'policy' | 'processor';

export interface Context {
  readonly accountId: string;
  readonly actor: { readonly kind: ActorKind; readonly id: string };
  /** Business time of the request, ms. */
  readonly at: number;
  readonly requestId: string;
  /** One per intended effect; remembered in the idempotency stream where the caller sent a key. */
  readonly operationId: string;
  /** Id of the event that caused this, where it was not a request. */
  readonly causationId?: string;
}
