// The context of every appended event besides its content: the actor, the time, the request, and the cause.
export type ActorKind = 'apiKey' | 'checkout' | 'operator' | 'policy' | 'processor' | 'user';

/** The cause of an event. */
export interface EventCause {
  /** The request, or the operator's or processor's action, that began it all (X-Request-Id of contract §1). */
  readonly correlationId: string;
  /** Id of the event that this follows from; absent if it is the request itself. */
  readonly causationId?: string;
}

export interface Context extends EventCause {
  readonly accountId: string;
  readonly actor: { readonly kind: ActorKind; readonly id: string };
  /** Business time of the request, ms: data of events. They are recorded at the time of their own append. */
  readonly at: number;
  /** One per intended effect; remembered in the idempotency stream where the caller sent a key. */
  readonly operationId: string;
}
