// The server's own events: $all is never empty, and readers of $all must skip these.
import { randomUUID } from 'node:crypto';
import type { EventLog } from './event-log.ts';
import type { ProposedEvent } from './event-record.ts';

export const systemEvent = (type: string, json: string): ProposedEvent => ({
  id: randomUUID(),
  type,
  contentType: 'application/json',
  metadata: Buffer.alloc(0),
  data: Buffer.from(json),
});

/** Writes the events of a start: a new epoch, and at the first start those of an empty server. */
export function writeSystemEvents(log: EventLog): void {
  const now = Date.now();
  if (log.count === 0) {
    log.write('$$$stats-127.0.0.1:2113', [systemEvent('$metadata', '{"$maxAge":86400,"$maxCount":60}')], now);
    log.write(
      '$user-admin',
      [systemEvent('$UserCreated', '{"loginName":"admin","fullName":"Event Store Administrator"}')],
      now,
    );
    log.write(
      '$user-ops',
      [systemEvent('$UserCreated', '{"loginName":"ops","fullName":"Event Store Operations"}')],
      now,
    );
    log.write('$users', [systemEvent('$User', 'admin'), systemEvent('$User', 'ops')], now);
    log.write('$settings', [systemEvent('$settings', '{}')], now);
  }
  const epoch = log.stream('$epoch-information')?.events.length ?? 0;
  log.write('$epoch-information', [systemEvent('$epoch-information', JSON.stringify({ EpochNumber: epoch }))], now);
  log.write('$stats-127.0.0.1:2113', [systemEvent('$statsCollected', '{}')], now);
  log.commit();
}
