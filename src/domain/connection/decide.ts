// Decisions on a connection.
import { accept, type Decision, reject } from '../decider.ts';
import type { ConnectionCreated, ConnectionEvent } from './events.ts';
import { type ConnectionState, type ExistingConnection, isProven, serverOf } from './state.ts';

type ConnectionDecision = Decision<ConnectionEvent>;

/** Adds it; again: nothing. */
export const addConnection =
  (made: ConnectionCreated) =>
  (connection: ConnectionState): ConnectionDecision =>
    connection.status === 'absent' ? accept({ type: 'ConnectionCreated', data: { ...made } }) : accept();

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
}

/**
 * New references. The secret of notifications before the new one is good as well, until the next rotation: the
 * processor signs by both while one is replaced. Nothing for references that it has.
 */
export const rotateReferences =
  ({ secretKey, webhookSecret, publishableKey }: NewReferences) =>
  (connection: ConnectionState): ConnectionDecision =>
    ifActive(connection, ({ secrets, publishableKey: shown }) => {
      const isNew = webhookSecret !== undefined && webhookSecret !== secrets['webhookSecret'];
      const changed = {
        ...secrets,
        ...(secretKey !== undefined && { secretKey }),
        ...(isNew && { webhookSecret }),
        ...(isNew && secrets['webhookSecret'] !== undefined && { previousWebhookSecret: secrets['webhookSecret'] }),
      };
      const isSame = !isNew && changed['secretKey'] === secrets['secretKey'];
      if (isSame && (publishableKey === undefined || publishableKey === shown)) return accept();
      return accept({
        type: 'ConnectionChanged',
        data: { ...(!isSame && { secrets: changed }), ...(publishableKey !== undefined && { publishableKey }) },
      });
    });

/** The end of a run that tries its fences: a failed one takes an earlier proof back. Nothing if that is on record. */
export const recordProof =
  (hasPassed: boolean) =>
  (connection: ConnectionState): ConnectionDecision =>
    ifActive(connection, (there) =>
      hasPassed === isProven(there)
        ? accept()
        : accept({ type: 'ConnectionChanged', data: { burnProven: hasPassed ? serverOf(there) : null } }),
    );

/** No new payment begins by it, for good; open attempts are still looked up, captured and refunded. Again: nothing. */
export const disableConnection =
  () =>
  (connection: ConnectionState): ConnectionDecision =>
    connection.status === 'disabled'
      ? accept()
      : ifActive(connection, () => accept({ type: 'ConnectionDisabled', data: {} }));
