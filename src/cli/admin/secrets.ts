// The work of counterfoil secrets: a new master secret in front of the old ones, and the way to the day when those are
// no longer needed: what was made with one that is not the first, and is still in use, ends with that secret.
import { readConfig } from '../../config.ts';
import { type ApiKey, apiKey, type ExistingApiKey } from '../../domain/api-key.ts';
import type { DomainEvent } from '../../domain/category.ts';
import type { Decider } from '../../domain/decider.ts';
import { storeCategory } from '../../domain/store.ts';
import { type User, user } from '../../domain/user/state.ts';
import { readUntilBreak } from '../../journal/chain.ts';
import { unsealEvent } from '../../journal/envelope.ts';
import { keyStoreIdOf, PersonalKeys } from '../../journal/personal-keys.ts';
import { readLog } from '../../journal/read-log.ts';
import { type Rewrapped, rewrapKeys } from '../../journal/rewrap-keys.ts';
import {
  checkKeyStore,
  openStoreStamp,
  recordBeforeBreak,
  recordBoundKeys,
  STORE_ID,
} from '../../journal/store-stamp.ts';
import { Secrets } from '../../secrets.ts';
import type { EventStore, StoredEvent } from '../../stores/event-store.ts';
import { categoryOf, idOf, streamOf } from '../../stores/stream-name.ts';
import { formatTime, liveWorld } from '../../world.ts';
import { alone } from '../alone.ts';
import type { CommonOptions } from '../command.ts';
import { interruptible, Refused } from '../exit.ts';
import { loadSecrets, readSecretFile, replaceSecretFile, secretFileIn, secretsText } from '../open/machine-secrets.ts';
import { openKeyStore, storeWaitOf } from '../open/stores.ts';
import { checkEndHere, withClock, withEventLog } from '../open/with-stores.ts';
import type { CommandResult } from '../output.ts';
import { openProgress } from '../progress.ts';

const LOCK = 'secret.lock';

/**
 * The file is replaced before the store's key is wrapped again: whatever ends the command between the two, the next
 * start wraps it. Of two commands at once, one would lose the secret by which the other has wrapped.
 */
export async function rotate(given: CommonOptions): Promise<CommandResult> {
  const { secrets, dataDir, mode } = readConfig(given, process.env);
  const fresh = Buffer.from(liveWorld.randomBytes(32));
  if (secrets !== undefined) {
    const text = secretsText([fresh, ...secrets]);
    return { json: { secret: text, file: null }, text: `COUNTERFOIL_SECRET=${text}\n${ON_EVERY_NODE}` };
  }
  const file = secretFileIn(dataDir);
  const older = await withEventLog(given, (events, world) =>
    alone(dataDir, LOCK, async () => {
      const stored = await readSecretFile(file);
      if (stored === undefined)
        throw new Refused(`There is no ${file}. If the secret is in COUNTERFOIL_SECRET elsewhere, set it here too.`);
      const before = [stored.secret, ...stored.older];
      await checkEndHere(given, events, world);
      await openStoreStamp(events, world, new Secrets(before), mode); // throws unless they open the store
      await replaceSecretFile(file, [fresh, ...before]);
      await openStoreStamp(events, world, new Secrets([fresh, ...before]), mode);
      return before.length;
    }),
  );
  const text = [
    `${file} has a new secret, and ${older === 1 ? 'the old one, which still verifies' : `${older} old ones, which still verify`}.`,
    RESTART,
    UNTIL,
  ].join('\n');
  return { json: { file, older }, text };
}

const RESTART = 'Restart every process of the service now: until then they refuse keys and links that commands create.';
const UNTIL =
  'Copy the file to where you keep the secret. Then run `counterfoil secrets rewrap`: it says what still needs the old secret.';
const ON_EVERY_NODE =
  'Set this on every node, first with the old secret in front, so that each verifies both; then in this order.';

export async function rewrap(given: CommonOptions): Promise<CommandResult> {
  const config = readConfig(given, process.env);
  return withClock(given, async ({ events, report, clock: { world } }) => {
    const masters = await loadSecrets(config, world, report);
    const secrets = new Secrets(masters);
    await checkEndHere(given, events, world);
    const storeKey = await openStoreStamp(events, world, secrets, config.mode);
    const opening = { world, report, wait: storeWaitOf(config) };
    const store = await openKeyStore(config, opening);
    try {
      await checkKeyStore(events, world, new PersonalKeys({ store, secrets, storeKey, world }));
      const record = await recordBeforeBreak(events);
      const takesUnbound = record.status === 'absent' || record.bindsKeys !== true;
      const openAgain = () => openKeyStore(config, opening, true);
      const progress = await openProgress('Encrypting', 'keys', world);
      const onProgress = (keys: number): void => progress.update(keys, { about: keys });
      const [found, inUse] = await interruptible(
        'Stopping. Run the same command again to do the rest.',
        async (signal) => {
          const keyStoreId = keyStoreIdOf(storeKey);
          const parts = { store, openAgain, secrets, world, keyStoreId, takesUnbound, onProgress };
          return [await rewrapKeys(parts, signal), await madeWithOlderSecrets(events, world.now(), signal)] as const;
        },
      ).finally(() => progress.stop());
      if (found.unopened === 0) await recordBoundKeys(events, world);
      const older = masters.length - 1;
      const json = { ...found, older, ...asJson(inUse) };
      return { json, text: inWords(found, older, inUse), isRefused: found.unopened > 0 };
    } finally {
      await store.close();
    }
  });
}

const asJson = ({ rotatedAt, endsAt, ...ids }: InUse): object => ({
  ...ids,
  rotatedAt: rotatedAt === undefined ? null : formatTime(rotatedAt),
  endsAt: endsAt === undefined ? null : formatTime(endsAt),
});

/** Ids that are printed; --json has all. */
const SHOWN = 20;

function inWords({ keys, rewrapped, unopened }: Rewrapped, older: number, inUse: InUse): string {
  const wrapped = `Of ${keys} keys of personal data ${rewrapped} were encrypted again, under the newest secret.`;
  const lost =
    unopened === 0
      ? []
      : [`${unopened} of them open with none of the secrets: they are damaged, or a secret is missing.`];
  if (older === 0) return [wrapped, ...lost, 'There is no older secret.'].join('\n');
  const needs = [
    ...needing(inUse.apiKeys, 'API keys, until `counterfoil keys rotate` or `counterfoil keys revoke`'),
    ...needing(inUse.incomingWebhooks, 'paths for processors, until `counterfoil webhooks incoming revoke`'),
    ...needing(inUse.recoveryCodes, 'users with recovery codes, until they set up the second factor again'),
    ...(inUse.endsAt === undefined
      ? []
      : [`  client tokens, sign-in sessions and links, until ${formatTime(inUse.endsAt)}`]),
  ];
  const rest =
    needs.length === 0
      ? 'Nothing needs the older secrets: take them out of the list, on every node, and restart.'
      : ['What was created before the newest secret still needs an older one:', ...needs].join('\n');
  return [wrapped, ...lost, rest].join('\n');
}

function needing(ids: readonly string[], what: string): readonly string[] {
  if (ids.length === 0) return [];
  const more = ids.length > SHOWN ? `, and ${ids.length - SHOWN} more` : '';
  return [`  ${ids.length} ${what}: ${ids.slice(0, SHOWN).join(', ')}${more}`];
}

interface InUse {
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
