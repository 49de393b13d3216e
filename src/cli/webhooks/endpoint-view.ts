// A webhook endpoint as the command line prints it: never its secret, unless it was made a moment ago.
import type { ExistingEndpoint } from '../../domain/webhook-endpoint/state.ts';
import { formatTime } from '../../world.ts';

export interface EndpointView {
  readonly id: string;
  readonly url: string;
  /** The wanted message types; null: all. */
  readonly events: readonly string[] | null;
  readonly accountId: string;
  /** `gone`: the receiver answered 410. */
  readonly state: 'enabled' | 'disabled' | 'gone';
  readonly addedAt: string;
  readonly disabledAt: string | null;
}

export const endpointView = (id: string, { url, events, accountId, status, addedAt, disabled }: ExistingEndpoint): EndpointView => ({
  id,
  url,
  events: events ?? null,
  accountId,
  state: status === 'enabled' ? 'enabled' : disabled?.because === 'gone' ? 'gone' : 'disabled',
  addedAt: formatTime(addedAt),
  disabledAt: disabled === undefined ? null : formatTime(disabled.at),
});

/** The printed members of an endpoint with its secret, in this order. */
export const withSecret = (id: string, secret: string, { url, events }: ExistingEndpoint): object => ({
  id,
  url,
  secret,
  events: events ?? null,
});
