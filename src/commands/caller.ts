// The caller of a command, and the answer of every command.
import type { Rejection } from '../domain/decider.ts';
import type { Context } from '../journal/context.ts';

export interface Caller {
  readonly accountId: string;
  readonly actor: Context['actor'];
  /** Business time of the request, ms. */
  readonly at: number;
  readonly requestId: string;
  readonly scopes: ReadonlySet<string>;
  /** The client session of a checkout caller (its client token says which). */
  readonly sessionId?: string;
  /** The peer's address, for the card-testing limits. */
  readonly address: string;
  readonly idempotency?: {
    readonly key: string;
    /** The fingerprinted text: method, path and raw body; for tokenization without number and CVC. */
    readonly request: string;
  };
}

/** 202: the outcome is not known yet; the document has the known part. */
export interface Completed<Doc> {
  readonly kind: 'completed';
  readonly status: 200 | 202;
  readonly id: string;
  readonly doc: Doc;
  readonly revision: number;
  /** The answer of an earlier call with the same idempotency key. */
  readonly replayed?: boolean;
}

export type Answer<Doc> = Completed<Doc> | Rejection;

export const completed = <Doc>(
  id: string,
  { state, head }: { readonly state: Doc; readonly head: { readonly revision: number } },
  status: 200 | 202 = 200,
): Completed<Doc> => ({ kind: 'completed', status, id, doc: state, revision: head.revision });

export const contextOf = (caller: Caller, operationId: string): Context => ({
  accountId: caller.accountId,
  actor: caller.actor,
  at: caller.at,
  correlationId: caller.requestId,
  operationId,
});
