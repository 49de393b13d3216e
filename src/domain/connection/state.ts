// A connection as it stands.
import type { Decider } from '../decider.ts';
import { type ConnectionCreated, type ConnectionEvent, connectionCategory } from './events.ts';

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
export const serverOf = ({ apiUrl, processor }: Pick<ConnectionCreated, 'apiUrl' | 'processor'>): string =>
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
