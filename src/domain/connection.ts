// A connection: an account's access to a processor, made by operators. Secrets are references, never values.
import { z } from 'zod';
import { category, event, upcast } from './category.ts';
import { accept, type Decider, type Decision, type Rejection, reject } from './decider.ts';

/** Name to `env:NAME` or `file:PATH`. */
const Secrets = z.record(z.string(), z.string());

const ConnectionCreatedV1 = z.strictObject({
  accountId: z.string(),
  processor: z.string(),
  name: z.string(),
  secrets: Secrets,
  /** Milliseconds since the epoch, business time. */
  createdAt: z.number(),
});

/**
 * `webhookKeyId`: the API key whose URL its notifications come by. `publishableKey`: not secret, browsers see it.
 * `apiUrl`: another server that speaks the processor's API, in test mode.
 */
const ConnectionCreated = ConnectionCreatedV1.extend({
  webhookKeyId: z.string().optional(),
  publishableKey: z.string().optional(),
  apiUrl: z.string().optional(),
});
type ConnectionCreated = Readonly<z.infer<typeof ConnectionCreated>>;

const ConnectionChangedV1 = z.strictObject({ name: z.string().optional(), secrets: Secrets.optional() });
const ConnectionChangedV2 = ConnectionChangedV1.extend({ publishableKey: z.string().optional() });
/**
 * `burnProven`: the server at which a run of `connections check --script` passed, its URL or the name of the processor
 * for its own; null: a later run failed.
 */
const ConnectionChanged = ConnectionChangedV2.extend({ burnProven: z.string().nullable().optional() });

export const connectionCategory = category(
  'connection',
  z.discriminatedUnion('type', [
    event('ConnectionCreated', ConnectionCreated),
    /** The members that changed, each as a whole. */
    event('ConnectionChanged', ConnectionChanged),
    /** No new payment begins by it; its payments are still captured, refunded, cancelled and looked up. */
    event('ConnectionDisabled', z.strictObject({})),
    /** The processor's list of events was read up to this time, ms, and all of them were received. */
    event('EventsSwept', z.strictObject({ until: z.number() })),
  ]),
  {
    ConnectionCreated: [upcast(ConnectionCreatedV1, (older) => older)],
    ConnectionChanged: [upcast(ConnectionChangedV1, (older) => older), upcast(ConnectionChangedV2, (older) => older)],
  },
);
export type ConnectionEvent = z.infer<typeof connectionCategory.event>;

export type ConnectionState = { readonly status: 'absent' } | ExistingConnection;
export interface ExistingConnection extends ConnectionCreated {
  readonly status: 'active' | 'disabled';
  /** When notifications signed by the previous secret are no longer accepted; milliseconds since the epoch. */
  readonly previousWebhookSecretUntil?: number;
  /** The server at which its fences are proven, as `serverOf` names it. */
  readonly burnProven?: string;
  /** How far the processor's list of events was read; milliseconds since the epoch, of the machine's clock. */
  readonly eventsSweptUntil?: number;
  /** Milliseconds since the epoch. */
  readonly disabledAt?: number;
}

/** The server that a proof is about: another one that speaks the processor's API, otherwise the processor's own. */
const serverOf = ({ apiUrl, processor }: Pick<ConnectionCreated, 'apiUrl' | 'processor'>): string =>
  apiUrl ?? processor;

/** True if a run has shown at the server of the connection that a fence proves what it says. */
export const isProven = (connection: ExistingConnection): boolean => connection.burnProven === serverOf(connection);

/** How long after a new webhook secret notifications signed by the previous one are accepted, ms of business time. */
const OVERLAP_MS = 86_400_000;

/** The references that count at a time, ms: the previous webhook secret only while it is valid. */
export function validSecrets(
  { secrets, previousWebhookSecretUntil: until }: Pick<ExistingConnection, 'secrets' | 'previousWebhookSecretUntil'>,
  at: number,
): ExistingConnection['secrets'] {
  const { previousWebhookSecret: previous, ...current } = secrets;
  const isValid = previous !== undefined && until !== undefined && at < until;
  return isValid ? { ...current, previousWebhookSecret: previous } : current;
}

export const connection: Decider<ConnectionState, ConnectionEvent> = {
  category: connectionCategory,
  initial: { status: 'absent' },
  evolve(state, { type, data }, { at }) {
    if (type === 'ConnectionCreated') return { status: 'active', ...data };
    if (state.status === 'absent') throw new Error(`${type} before ConnectionCreated`);
    switch (type) {
      case 'ConnectionChanged': {
        const { name = state.name, secrets = state.secrets, publishableKey = state.publishableKey } = data;
        const { burnProven: before, previousWebhookSecretUntil: untilBefore, ...kept } = state;
        const isNewSecret = secrets['webhookSecret'] !== state.secrets['webhookSecret'];
        const until = isNewSecret ? at + OVERLAP_MS : untilBefore;
        const burnProven = data.burnProven === undefined ? before : data.burnProven;
        return {
          ...kept,
          name,
          secrets,
          ...(publishableKey !== undefined && { publishableKey }),
          ...(secrets['previousWebhookSecret'] !== undefined &&
            until !== undefined && { previousWebhookSecretUntil: until }),
          ...(burnProven != null && { burnProven }),
        };
      }
      case 'ConnectionDisabled':
        return { ...state, status: 'disabled', disabledAt: at };
      case 'EventsSwept':
        return { ...state, eventsSweptUntil: data.until };
      default:
        return type satisfies never;
    }
  },
};

type ConnectionDecision = Decision<ConnectionEvent>;

/** Adds it. Conflict if it is there: its stream owns the name of the account's connection. */
export const addConnection =
  (made: ConnectionCreated) =>
  (connection: ConnectionState): ConnectionDecision =>
    connection.status === 'absent' ? accept({ type: 'ConnectionCreated', data: { ...made } }) : nameTaken(made.name);

const nameTaken = (name: string): Rejection =>
  reject('Conflict', `An active connection of the account is named ${name}.`);

const ifActive = (
  connection: ConnectionState,
  decide: (there: ExistingConnection) => ConnectionDecision,
): ConnectionDecision => {
  if (connection.status === 'absent') return reject('NotFound', 'There is no such connection.');
  return connection.status === 'disabled' ? reject('Conflict', 'The connection is disabled.') : decide(connection);
};

/** References that take the place of older ones, by their names. */
export interface NewReferences {
  readonly secretKey?: string | undefined;
  readonly webhookSecret?: string | undefined;
  readonly publishableKey?: string | undefined;
  /** Ends the overlap of an earlier rotation first: notifications signed by the secret before are refused. */
  readonly dropPrevious?: boolean | undefined;
}

/**
 * New references. The secret of notifications before the new one stays valid for 24 h, because the processor signs by
 * both while one is replaced; Conflict where a new one would end the validity of a secret without being asked to, since
 * a reference keeps one value only, and a connection keeps two. Nothing for references that it has.
 */
export const rotateReferences =
  ({ secretKey, webhookSecret, publishableKey, dropPrevious }: NewReferences, at: number) =>
  (connection: ConnectionState): ConnectionDecision =>
    ifActive(connection, (there) => {
      const { previousWebhookSecret: valid, ...current } = validSecrets(there, at);
      const kept = dropPrevious === true ? undefined : valid;
      const signing = current['webhookSecret'];
      if (webhookSecret !== undefined && webhookSecret === signing) return reject('Conflict', sameReference(signing));
      if (webhookSecret !== undefined && kept !== undefined && webhookSecret !== kept)
        return reject('Conflict', stillSigns(kept));
      const previous = webhookSecret === undefined ? kept : signing;
      const secrets = {
        ...current,
        ...(secretKey !== undefined && { secretKey }),
        ...(webhookSecret !== undefined && { webhookSecret }),
        ...(previous !== undefined && { previousWebhookSecret: previous }),
      };
      const isSame = SECRETS.every((name) => secrets[name] === there.secrets[name]);
      if (isSame && (publishableKey === undefined || publishableKey === there.publishableKey)) return accept();
      return accept({
        type: 'ConnectionChanged',
        data: { ...(!isSame && { secrets }), ...(publishableKey !== undefined && { publishableKey }) },
      });
    });

const SECRETS = ['secretKey', 'webhookSecret', 'previousWebhookSecret'] as const;

const sameReference = (reference: string): string =>
  `The webhook secret is ${reference} already. Store the new secret under another name: the previous one then stays valid for 24 hours.`;

const stillSigns = (previous: string): string =>
  `The previous webhook secret, ${previous}, is still valid, for 24 hours after it was replaced. Wait until then, or drop it in the same request (--drop-previous).`;

/** The end of a run that tries its fences: a failed one takes an earlier proof back. Nothing if that is on record. */
export const recordProof =
  (hasPassed: boolean) =>
  (connection: ConnectionState): ConnectionDecision =>
    ifActive(connection, (there) =>
      hasPassed === isProven(there)
        ? accept()
        : accept({ type: 'ConnectionChanged', data: { burnProven: hasPassed ? serverOf(there) : null } }),
    );

/** How far the processor's list of events was read, ms; nothing if another node has read further. */
export const recordSweep =
  (until: number) =>
  (connection: ConnectionState): ConnectionDecision => {
    if (connection.status === 'absent') return reject('NotFound', 'There is no such connection.');
    return until > (connection.eventsSweptUntil ?? 0) ? accept({ type: 'EventsSwept', data: { until } }) : accept();
  };

/** No new payment begins by it, for good; open attempts are still looked up, captured and refunded. Again: nothing. */
export const disableConnection =
  () =>
  (connection: ConnectionState): ConnectionDecision =>
    connection.status === 'disabled'
      ? accept()
      : ifActive(connection, () => accept({ type: 'ConnectionDisabled', data: {} }));
