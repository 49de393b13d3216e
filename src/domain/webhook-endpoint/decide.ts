// Decisions on a webhook endpoint.
import { accept, type Decision, reject } from '../decider.ts';
import type { WebhookEndpointAdded, WebhookEndpointEvent } from './events.ts';
import type { ExistingEndpoint, WebhookEndpoint } from './state.ts';

type EndpointDecision = Decision<WebhookEndpointEvent>;

/** Adds it; again: nothing. `shortLived`: it ends with the command that serves it. */
export const addEndpoint =
  (added: WebhookEndpointAdded, shortLived = false) =>
  (endpoint: WebhookEndpoint): EndpointDecision => {
    if (endpoint.status !== 'absent') return accept();
    const events: WebhookEndpointEvent[] = [{ type: 'WebhookEndpointAdded', data: { ...added } }];
    return accept(...events, ...(shortLived ? [{ type: 'WebhookEndpointMadeShortLived', data: {} } as const] : []));
  };

const ifThere = (endpoint: WebhookEndpoint, decide: (there: ExistingEndpoint) => EndpointDecision): EndpointDecision =>
  endpoint.status === 'absent' ? reject('NotFound', 'There is no such webhook endpoint.') : decide(endpoint);

/** A change of an endpoint; without a member, that stays. */
export interface EndpointChange {
  readonly url?: string | undefined;
  /** The wanted message types; null: all, later ones too. */
  readonly events?: readonly string[] | null | undefined;
}

/**
 * Changes the URL and the types. No event if nothing changes. `ifMatch`: whether the endpoint may have this revision.
 * PreconditionFailed at another revision; Conflict for a disabled endpoint.
 */
export const changeEndpoint =
  ({ url, events }: EndpointChange, ifMatch?: (revision: number) => boolean) =>
  (endpoint: WebhookEndpoint, revision: number): EndpointDecision =>
    ifThere(endpoint, (there) => {
      if (ifMatch?.(revision) === false)
        return reject('PreconditionFailed', 'The webhook endpoint has changed since the version in If-Match.');
      if (there.status !== 'enabled') return reject('Conflict', `The webhook endpoint is ${there.status}.`);
      const types = events === undefined ? there.events : (events ?? undefined);
      const data = { url: url ?? there.url, ...(types !== undefined && { events: [...types] }) };
      return data.url === there.url && String(types) === String(there.events)
        ? accept()
        : accept({ type: 'WebhookEndpointChanged', data });
    });

/** Deletes it for good, whatever its state: nothing is sent to it, and lists leave it out. Again: nothing. */
export const deleteEndpoint = (endpoint: WebhookEndpoint): EndpointDecision =>
  ifThere(endpoint, ({ status }) =>
    status === 'deleted' ? accept() : accept({ type: 'WebhookEndpointDeleted', data: {} }),
  );

/** Nothing is sent to it any more, for good; again: nothing. */
export const disableEndpoint =
  (because: 'asked' | 'gone') =>
  (endpoint: WebhookEndpoint): EndpointDecision =>
    ifThere(endpoint, ({ status }) =>
      status === 'enabled' ? accept({ type: 'WebhookEndpointDisabled', data: { because } }) : accept(),
    );

/**
 * A new secret; the old one signs as well until `previousExpiresAt` (ms of the machine's clock). `rotations`: what the
 * caller saw, so that a call that is made twice rotates once. Conflict for a disabled or deleted endpoint, and where
 * another rotation came first.
 */
export const rotateSecret =
  (rotations: number, previousExpiresAt: number) =>
  (endpoint: WebhookEndpoint): EndpointDecision =>
    ifThere(endpoint, (there) => {
      if (there.status !== 'enabled') return reject('Conflict', `The webhook endpoint is ${there.status}.`);
      if (there.rotations !== rotations) return reject('Conflict', 'Another request has just rotated the secret.');
      return accept({ type: 'WebhookSecretRotated', data: { previousExpiresAt } });
    });
