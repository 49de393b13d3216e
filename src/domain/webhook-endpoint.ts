// A webhook endpoint: where an account's messages go, their types, and which of its secrets sign. Never a secret: it
// derives from the store key and the secret's number.

import { z } from 'zod';
import { category, event } from './category.ts';
import { accept, type Decider, type Decision, reject } from './decider.ts';
import { MESSAGE_TYPES, MESSAGE_WORDS } from './message.ts';

/** Reports a checkpoint of the log. An endpoint gets it only if it names the type: it is of the whole store. */
export const CHECKPOINT_TYPE = 'AUDIT.CHECKPOINT';

export const WEBHOOK_TYPES = [...MESSAGE_TYPES, CHECKPOINT_TYPE] as const;
export type WebhookType = (typeof WEBHOOK_TYPES)[number];

export const WEBHOOK_WORDS: { readonly [T in WebhookType]: string } = {
  ...MESSAGE_WORDS,
  [CHECKPOINT_TYPE]: 'The service recorded a checkpoint of the log. Only an endpoint that names this type gets it.',
};

const WebhookEndpointAdded = z.strictObject({
  accountId: z.string(),
  url: z.string(),
  /** The wanted message types; left out: all, later ones too. */
  events: z.array(z.string()).optional(),
  addedAt: z.number(),
});
export type WebhookEndpointAdded = Readonly<z.infer<typeof WebhookEndpointAdded>>;

export const webhookEndpointCategory = category(
  'webhookEndpoint',
  z.discriminatedUnion('type', [
    event('WebhookEndpointAdded', WebhookEndpointAdded),
    /**
     * The command that made it (`listen`, a demo) serves it: where no receiver takes a call, that command has
     * ended.
     */
    event('WebhookEndpointMadeShortLived', z.strictObject({})),
    /** The URL and the wanted message types from now on; `events` as in WebhookEndpointAdded. */
    event('WebhookEndpointChanged', z.strictObject({ url: z.string(), events: z.array(z.string()).optional() })),
    /**
     * `asked`: by a person. `gone`: the receiver answered 410, or the command that served a short-lived one has ended.
     */
    event('WebhookEndpointDisabled', z.strictObject({ because: z.enum(['asked', 'gone']) })),
    /**
     * The next secret signs from now on; the one before it signs as well until `previousExpiresAt`, ms of the machine's
     * clock.
     */
    event('WebhookSecretRotated', z.strictObject({ previousExpiresAt: z.number() })),
    /** The end of an endpoint that lists leave out from now on. Nothing more is sent to it; its deliveries stay. */
    event('WebhookEndpointDeleted', z.strictObject({})),
  ]),
);
export type WebhookEndpointEvent = z.infer<typeof webhookEndpointCategory.event>;

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
 * events after it, however late their messages are queued. Without types it gets all about payments and agreements.
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
