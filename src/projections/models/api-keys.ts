// API keys by id; read on every request: embedded, a separate file shows cheaply whether anything changed.
import { type ApiKey, apiKey } from '../../domain/api-key.ts';
import { foldOf, projection, type StreamProjection } from '../projection.ts';

export const apiKeys: StreamProjection<ApiKey, 'accountId'> = projection(foldOf(apiKey), {
  name: 'api-keys',
  version: 2,
  keys: { accountId: (key) => (key.status === 'absent' ? undefined : key.accountId) },
  indexes: [['accountId']],
  freshness: 'linearizable', // a revocation takes effect on the next request, on every node
});
