// What was made with a master secret that is no longer the first, and is still in use: it ends with that secret.
import { type ApiKey, apiKey, type ExistingApiKey } from '../../domain/api-key/state.ts';
import type { DomainEvent } from '../../domain/category.ts';
import type { Decider } from '../../domain/decider.ts';
import { storeCategory } from '../../domain/store/events.ts';
import { type User, user } from '../../domain/user/state.ts';
import { readUntilBreak } from '../../journal/chain.ts';
import { unsealEvent } from '../../journal/envelope.ts';
import { readLog } from '../../journal/read-log.ts';
import { STORE_ID } from '../../journal/store-stamp.ts';
import type { EventStore, StoredEvent } from '../../stores/event-store.ts';
import { categoryOf, idOf, streamOf } from '../../stores/stream-name.ts';

export interface InUse {
  /** When the newest secret was first used, ms; undefined: there was none before it. */
  readonly rotatedAt?: number;
  /** Active API keys whose secret was made before. */
  readonly apiKeys: readonly string[];
  /** Paths for processors, by their own ids, that were made before. */
  readonly incomingWebhooks: readonly string[];
  /** Users whose recovery codes were made before. */
  readonly recoveryCodes: readonly string[];
  /** When the last client token, sign-in session and link from before ends, ms. */
  readonly endsAt?: number;
}

/** The life of a client token (contract §5). */
const CLIENT_TOKEN_MS = 86_400_000;

/** Folds the keys and users of the log. `now`: ms. Throws StoreUnavailable, BrokenStream and the signal's reason. */
export async function madeWithOlderSecrets(
  events: Pick<EventStore, 'follow' | 'read' | 'head'>,
  now: number,
  signal: AbortSignal,
): Promise<InUse> {
  const rotatedAt = await rotationOf(events);
  const nothing = { apiKeys: [], incomingWebhooks: [], recoveryCodes: [] };
  if (rotatedAt === undefined) return nothing;
  const keys = new Map<string, ApiKey>();
  const users = new Map<string, User>();
  const secretsAt = new Map<string, number>();
  const categories = [apiKey.category.name, user.category.name];
  for await (const batch of readLog(events, { after: -1n, to: await events.head(), categories }, signal))
    for (const stored of batch.events) {
      const isKey = categoryOf(stored.stream) === apiKey.category.name;
      const at = isKey ? evolved(apiKey, keys, stored) : evolved(user, users, stored);
      if (MAKES_SECRET.test(stored.type)) secretsAt.set(idOf(stored.stream), at);
    }
  const isOlder = (id: string): boolean => (secretsAt.get(id) ?? 0) < rotatedAt;
  const live = [...keys].flatMap(([id, key]) => (isLive(key, now) ? [{ id, key }] : []));
  const people = [...users].flatMap(([id, one]) =>
    one.status === 'absent' || one.status === 'disabled' ? [] : [{ id, one }],
  );
  const ends = people.flatMap(({ one: { link, sessions } }) => [
    ...(link === undefined ? [] : [link.expiresAt]),
    ...sessions.filter(({ startedAt }) => startedAt < rotatedAt).map(({ expiresAt }) => expiresAt),
  ]);
  const endsAt = Math.max(rotatedAt + CLIENT_TOKEN_MS, ...ends);
  return {
    rotatedAt,
    apiKeys: live.filter(({ id }) => isOlder(id)).map(({ id }) => id),
    incomingWebhooks: live.flatMap(({ key: { webhooks = [] } }) =>
      webhooks.flatMap(({ webhookId, addedAt, revokedAt }) =>
        revokedAt === undefined && addedAt < rotatedAt ? [webhookId] : [],
      ),
    ),
    recoveryCodes: people.flatMap(({ id, one: { twoFactor } }) =>
      twoFactor !== undefined && twoFactor.recoveryHashes.length > 0 && isOlder(id) ? [id] : [],
    ),
    ...(endsAt > now && { endsAt }),
  };
}

const MAKES_SECRET = /^(?:ApiKeyCreated|ManagementKeyCreated|ApiKeyRotated|TwoFactorSet)$/;

const isLive = (key: ApiKey, now: number): key is ExistingApiKey =>
  key.status === 'active' && (key.expiresAt ?? Number.POSITIVE_INFINITY) > now;

/** Applies an event to the state of its stream; answers when it was recorded, ms. */
function evolved<State extends object, Event extends DomainEvent>(
  { category, initial, evolve }: Decider<State, Event>,
  states: Map<string, State>,
  stored: StoredEvent,
): number {
  const { event, recorded } = unsealEvent(category, stored);
  const id = idOf(stored.stream);
  states.set(id, evolve(states.get(id) ?? initial, event, recorded));
  return recorded.at;
}

/** When the store key was wrapped by the newest secret. */
async function rotationOf(events: Pick<EventStore, 'read'>): Promise<number | undefined> {
  let at: number | undefined;
  await readUntilBreak(events, streamOf(storeCategory.name, STORE_ID), (stored) => {
    const { event, recorded } = unsealEvent(storeCategory, stored);
    if (event.type === 'StoreKeyRewrapped') at = recorded.at;
    return true;
  });
  return at;
}
