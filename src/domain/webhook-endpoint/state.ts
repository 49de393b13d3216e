// A webhook endpoint as it stands, and which of its secrets sign.
import type { Decider } from '../decider.ts';
import { type WebhookEndpointAdded, type WebhookEndpointEvent, webhookEndpointCategory } from './events.ts';
import { CHECKPOINT_TYPE } from './types.ts';

/** The types that an endpoint wanted before a change of them; `events` as in WebhookEndpointAdded. */
interface EarlierTypes {
  readonly events?: readonly string[];
  /** When they were changed, ms. */
  readonly until: number;
}

/** Changes of types that are remembered: more than an account makes while its messages wait to be queued. */
const EARLIER_KEPT = 20;

export interface ExistingEndpoint extends WebhookEndpointAdded {
  readonly status: 'enabled' | 'disabled' | 'deleted';
  /** The oldest first, at most EARLIER_KEPT. */
  readonly earlier?: readonly EarlierTypes[];
  /** It ends with the command that serves it. */
  readonly shortLived?: true;
  /** Why it was disabled, and when, ms. */
  readonly disabled?: { readonly because: 'asked' | 'gone'; readonly at: number };
  /** When it was deleted, ms. */
  readonly deletedAt?: number;
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
      case 'WebhookEndpointChanged':
        return changed(endpoint, data, at);
      case 'WebhookEndpointDisabled':
        return { ...endpoint, status: 'disabled', disabled: { because: data.because, at } };
      case 'WebhookSecretRotated':
        return { ...endpoint, rotations: endpoint.rotations + 1, previousExpiresAt: data.previousExpiresAt };
      case 'WebhookEndpointDeleted':
        return { ...endpoint, status: 'deleted', deletedAt: at };
      default:
        return type satisfies never;
    }
  },
};

type ChangedEndpoint = Extract<WebhookEndpointEvent, { type: 'WebhookEndpointChanged' }>['data'];

function changed(
  { events: before, ...endpoint }: ExistingEndpoint,
  { url, events }: ChangedEndpoint,
  at: number,
): ExistingEndpoint {
  const { earlier = [] } = endpoint;
  const ended: EarlierTypes = { until: at, ...(before !== undefined && { events: before }) };
  return {
    ...endpoint,
    url,
    ...(events !== undefined && { events }),
    ...(String(before) !== String(events) && { earlier: [...earlier, ended].slice(-EARLIER_KEPT) }),
  };
}

/**
 * True if the endpoint gets messages of this type about events of `date`, ms. A change of its types applies to the
 * events after it, however late their messages are queued. Without types it gets all about payments.
 */
export function wantsMessage({ events, earlier = [] }: ExistingEndpoint, type: string, date: number): boolean {
  const then = earlier.find(({ until }) => date < until);
  const wanted = then === undefined ? events : then.events;
  return wanted?.includes(type) ?? type !== CHECKPOINT_TYPE;
}

/** The state as shown to people; `gone`: the receiver's 410 disabled the endpoint. */
export const ENDPOINT_STATES = ['enabled', 'disabled', 'gone', 'deleted'] as const;
export type EndpointState = (typeof ENDPOINT_STATES)[number];

export const endpointState = ({ status, disabled }: ExistingEndpoint): EndpointState =>
  status === 'disabled' && disabled?.because === 'gone' ? 'gone' : status;

/** The numbers of the secrets that sign at `at` (ms of the machine's clock), the newest first. */
export const signingSecrets = ({ rotations, previousExpiresAt }: ExistingEndpoint, at: number): readonly number[] =>
  previousExpiresAt !== undefined && at < previousExpiresAt ? [rotations, rotations - 1] : [rotations];
