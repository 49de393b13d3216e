// The work of counterfoil secrets: a new master secret in front of the old ones, and the way to the day when those are
// no longer needed.
import { readConfig } from '../../config.ts';
import { keyStoreIdOf, PersonalKeys } from '../../journal/personal-keys.ts';
import { type Rewrapped, rewrapKeys } from '../../journal/rewrap-keys.ts';
import { checkKeyStore, openStoreStamp, recordBeforeBreak, recordBoundKeys } from '../../journal/store-stamp.ts';
import { Secrets } from '../../secrets.ts';
import { formatTime, liveWorld } from '../../world.ts';
import { alone } from '../alone.ts';
import type { CommonOptions } from '../command.ts';
import { interruptible, Refused } from '../exit.ts';
import { loadSecrets, readSecretFile, replaceSecretFile, secretFileIn, secretsText } from '../open/machine-secrets.ts';
import { openKeyStore, storeWaitOf } from '../open/stores.ts';
import { checkEndHere, withClock, withEventLog } from '../open/with-stores.ts';
import type { CommandResult } from '../output.ts';
import { openProgress } from '../progress.ts';
import { type InUse, madeWithOlderSecrets } from './older-secrets.ts';

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
    ...needing(inUse.apiKeys, 'API keys, until `keys rotate` or `keys revoke`'),
    ...needing(inUse.incomingWebhooks, 'paths for processors, until `webhooks incoming revoke`'),
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
