// Client sessions: a cart on its way to a payment (contract §3). Needs client_tokens:write.
import type { Answered, Caller, CallOptions, ConditionalOptions, WriteOptions } from './call.ts';
import type {
  ClientSession,
  ClientSessionChanges,
  ClientSessionFields,
  ClientToken,
  CreatedClientSession,
} from './types.ts';

export interface ClientSessions {
  /** Answers the session with its client token, the one thing of it that a browser may hold. */
  create(fields?: ClientSessionFields, options?: WriteOptions): Promise<Answered<CreatedClientSession>>;
  get(clientToken: string, options?: CallOptions): Promise<Answered<ClientSession>>;
  /**
   * Changes members and leaves the others; null clears. An object with two or more members replaces the whole object,
   * and `warnings` names what that dropped (contract §3). Throws CounterfoilError `ClientSessionCompleted`, with
   * `paymentId`, once it is being paid.
   */
  update(
    clientToken: string,
    changes: ClientSessionChanges,
    options?: ConditionalOptions,
  ): Promise<Answered<ClientSession>>;
  /** A fresh client token for the same session, valid for 24 hours; also for a token that expired up to 30 days ago. */
  renewToken(clientToken: string, options?: WriteOptions): Promise<Answered<ClientToken>>;
}

export const clientSessionsOf = (caller: Caller): ClientSessions => ({
  create: (body = {}, options = {}) => caller.write('POST /client-session', { body }, options),
  get: (clientToken, options = {}) => caller.read('GET /client-session', {}, { ...options, clientToken }),
  update: (clientToken, changes, options = {}) =>
    caller.write('PATCH /client-session', { body: { ...changes, clientToken } }, options),
  renewToken: (clientToken, options = {}) =>
    caller.write('POST /client-session/client-token', { body: { clientToken } }, options),
});
