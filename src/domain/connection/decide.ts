// Decisions on a connection.
import { accept, type Decision, type Rejection, reject } from '../decider.ts';
import type { ConnectionCreated, ConnectionEvent } from './events.ts';
import { type ConnectionState, type ExistingConnection, isProven, serverOf, validSecrets } from './state.ts';

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
