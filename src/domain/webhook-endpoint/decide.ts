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

/** Nothing is sent to it any more, for good; again: nothing. */
export const disableEndpoint =
  (because: 'asked' | 'gone') =>
  (endpoint: WebhookEndpoint): EndpointDecision =>
    ifThere(endpoint, ({ status }) =>
      status === 'disabled' ? accept() : accept({ type: 'WebhookEndpointDisabled', data: { because } }),
    );

/**
 * A new secret; the old one signs as well until `previousExpiresAt` (ms of the machine's clock). `rotations`: what the
 * caller saw, so that a call that is made twice rotates once. Conflict for a disabled endpoint, and where another
 * rotation came first.
 */
export const rotateSecret =
  (rotations: number, previousExpiresAt: number) =>
  (endpoint: WebhookEndpoint): EndpointDecision =>
    ifThere(endpoint, (there) => {
      if (there.status === 'disabled') return reject('Conflict', 'The webhook endpoint is disabled.');
      if (there.rotations !== rotations) return reject('Conflict', 'Another request has just rotated the secret.');
      return accept({ type: 'WebhookSecretRotated', data: { previousExpiresAt } });
    });
