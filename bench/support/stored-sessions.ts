// Writes client sessions into a log as a service would have made them, one event each.
import { clientSessionCategory } from '../../src/domain/client-session/events.ts';
import { beforeFirst, seal } from '../../src/journal/envelope.ts';
import type { EventStore } from '../../src/stores/event-store.ts';
import { liveWorld, newId } from '../../src/world.ts';
import { sessionFields } from './patches.ts';

const AT_ONCE = 1_000;
const DAY_MS = 86_400_000;

/** Appends `count` sessions of one line, a thousand at a time. None expires within a day. */
export async function writeSessions(events: EventStore, accountId: string, count: number): Promise<void> {
  for (let made = 0; made < count; made += AT_ONCE)
    await Promise.all(
      Array.from({ length: Math.min(AT_ONCE, count - made) }, (_, index) =>
        writeSession(events, accountId, made + index),
      ),
    );
}

async function writeSession(events: EventStore, accountId: string, number: number): Promise<void> {
  const at = liveWorld.now();
  const context = {
    accountId,
    actor: { kind: 'apiKey' as const, id: 'key_018f3c9a7b2e4d5f6a7b8c9d0e1f2a3b' },
    at,
    correlationId: newId(liveWorld, 'req'),
    operationId: newId(liveWorld, 'op'),
  };
  const fields = sessionFields(`order-${number}`);
  const data = { accountId, createdAt: at, tokenExpiresAt: at + DAY_MS, sessionExpiresAt: at + 2 * DAY_MS, fields };
  const sealed = seal(
    clientSessionCategory,
    [{ type: 'ClientSessionCreated' as const, data }],
    context,
    beforeFirst,
    liveWorld,
  );
  await events.append(
    `clientSession-${newId(liveWorld, 'cs')}`,
    -1,
    sealed.map(({ stored }) => stored),
  );
}
