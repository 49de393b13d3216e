// Connections by id, and by account.
import { type ConnectionState, connection } from '../../domain/connection.ts';
import { foldOf, projection, type StreamProjection } from '../projection.ts';

type ConnectionKey = 'accountId' | 'active';

export const connections: StreamProjection<ConnectionState, ConnectionKey> = projection(foldOf(connection), {
  name: 'connections',
  version: 4,
  keys: {
    accountId: (one) => (one.status === 'absent' ? undefined : one.accountId),
    active: (one) => (one.status === 'active' ? true : undefined),
  },
  indexes: [['accountId'], ['active']],
});
