// A webhook endpoint as it stands, and which of its secrets sign.
import type { Decider } from '../decider.ts';
import { type WebhookEndpointAdded, type WebhookEndpointEvent, webhookEndpointCategory } from './events.ts';

export interface ExistingEndpoint extends WebhookEndpointAdded {
  readonly status: 'enabled' | 'disabled';
  /** It ends with the command that serves it. */
  readonly shortLived?: true;
  /** Why it was disabled, and when, ms. */
  readonly disabled?: { readonly because: 'asked' | 'gone'; readonly at: number };
  /** How often the secret was rotated: the number of the secret that signs. */
  readonly rotations: number;
  /** Until then the secret before signs as well, ms of the machine's clock. */
  readonly previousExpiresAt?: number;
}

export type WebhookEndpoint = { readonly status: 'absent' } | ExistingEndpoint;

export const webhookEndpoint: Decider<WebhookEndpoint, WebhookEndpointEvent> = {
  category: webhookEndpointCategory,
  initial: { status: 'absent' },
  evolve(endpoint, { type, data }, { at }) {
    if (type === 'WebhookEndpointAdded') return { status: 'enabled', ...data, rotations: 0 };
    if (endpoint.status === 'absent') throw new Error(`${type} before WebhookEndpointAdded`);
    switch (type) {
      case 'WebhookEndpointMadeShortLived':
        return { ...endpoint, shortLived: true };
      case 'WebhookEndpointDisabled':
        return { ...endpoint, status: 'disabled', disabled: { because: data.because, at } };
      case 'WebhookSecretRotated':
        return { ...endpoint, rotations: endpoint.rotations + 1, previousExpiresAt: data.previousExpiresAt };
      default:
        return type satisfies never;
    }
  },
};

/** The state as shown to people; `gone`: the receiver's 410 disabled the endpoint. */
export type EndpointState = 'enabled' | 'disabled' | 'gone';

export const endpointState = ({ status, disabled }: ExistingEndpoint): EndpointState =>
  status === 'enabled' ? status : disabled?.because === 'gone' ? 'gone' : 'disabled';

/** The numbers of the secrets that sign at `at` (ms of the machine's clock), the newest first. */
export const signingSecrets = ({ rotations, previousExpiresAt }: ExistingEndpoint, at: number): readonly number[] =>
  previousExpiresAt !== undefined && at < previousExpiresAt ? [rotations, rotations - 1] : [rotations];
