// A webhook endpoint for the command line: never its secret, unless the endpoint was just created.
import { MESSAGE_TYPES } from '../../domain/payment/message.ts';
import { type EndpointState, type ExistingEndpoint, endpointState } from '../../domain/webhook-endpoint/state.ts';
import { formatTime } from '../../world.ts';

export interface EndpointView {
  readonly id: string;
  readonly url: string;
  /** The wanted message types; null: all. */
  readonly events: readonly string[] | null;
  readonly accountId: string;
  /** `gone`: the receiver answered 410. */
  readonly state: EndpointState;
  readonly addedAt: string;
  readonly disabledAt: string | null;
  readonly deletedAt: string | null;
}

export const endpointView = (id: string, doc: ExistingEndpoint): EndpointView => ({
  id,
  url: doc.url,
  events: doc.events ?? null,
  accountId: doc.accountId,
  state: endpointState(doc),
  addedAt: formatTime(doc.addedAt),
  disabledAt: doc.disabled === undefined ? null : formatTime(doc.disabled.at),
  deletedAt: doc.deletedAt === undefined ? null : formatTime(doc.deletedAt),
});

/**
 * The printed members of an endpoint with its secret, in this order; `events` are the types of messages that it gets
 * today.
 */
export const withSecret = (id: string, secret: string, { url, events, accountId }: ExistingEndpoint): object => ({
  id,
  url,
  secret,
  events: events ?? MESSAGE_TYPES,
  accountId,
});
