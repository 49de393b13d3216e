// counterfoil secrets: a new master secret in front of the old ones, and the way to the day when those are no longer
// needed.
import type { Command } from 'commander';
import type { Rewrapped } from '../journal/rewrap-keys.ts';
import { formatTime } from '../world.ts';
import { type CommonOptions, configOf, declare, STORE_SETTINGS } from './command.ts';
import { EXIT, Refused } from './exit.ts';
import type { InUse } from './older-secrets.ts';
import { print } from './output.ts';

export function secretsRotate(parent: Command): void {
  declare(parent, {
    usage: 'rotate',
    summary: 'Put a new master secret in front of the old ones, which still verify',
    examples: ['secrets rotate'],
    rules: [
      'The new secret signs from the next start on; the old ones still verify. With secret.key the file is replaced in one step and read back, and the store key is wrapped by the new secret (StoreKeyRewrapped). With COUNTERFOIL_SECRET it prints the new list and changes nothing.',
    ],
    json: '{file, older}, or {secret, file: null}',
    settings: STORE_SETTINGS,
  }).action(rotate);
}

const LOCK = 'secret.lock';

/**
 * The file is replaced before the store's key is wrapped again: whatever ends the command between the two, the next
 * start wraps it. Of two commands at once, one would lose the secret by which the other has wrapped.
 */
async function rotate(options: CommonOptions): Promise<void> {
  const { readSecretFile, replaceSecretFile, secretFileIn, secretsText } = await import('./open/secret-file.ts');
  const { liveWorld } = await import('../world.ts');
  const config = configOf(options);
  const fresh = Buffer.from(liveWorld.randomBytes(32));
  if (config.secrets !== undefined) {
    const text = secretsText([fresh, ...config.secrets]);
    print({ json: { secret: text, file: null }, text: `COUNTERFOIL_SECRET=${text}\n${ON_EVERY_NODE}` }, options);
    return;
  }
  const { alone } = await import('./alone.ts');
  const { checkEndHere, withEventLog } = await import('./open/with-stores.ts');
  const { openStoreStamp } = await import('../journal/store-stamp.ts');
  const { Secrets } = await import('../secrets.ts');
  const file = secretFileIn(config.dataDir);
  const older = await withEventLog(options, (events, world) =>
    alone(config.dataDir, LOCK, async () => {
      const stored = await readSecretFile(file);
      if (stored === undefined)
        throw new Refused(`There is no ${file}. If the secret is in COUNTERFOIL_SECRET elsewhere, set it here too.`);
      const before = [stored.secret, ...stored.older];
      await checkEndHere(options, events, world);
      await openStoreStamp(events, world, new Secrets(before), config.mode); // throws unless they open the store
      await replaceSecretFile(file, [fresh, ...before]);
      await openStoreStamp(events, world, new Secrets([fresh, ...before]), config.mode);
      return before.length;
    }),
  );
  const text = [
    `${file} has a new secret, and ${older === 1 ? 'the old one, which still verifies' : `${older} old ones, which still verify`}.`,
    RESTART,
    UNTIL,
  ].join('\n');
  print({ json: { file, older }, text }, options);
}

const RESTART = 'Restart every process of the service now: until then they refuse keys and links that commands create.';
const UNTIL =
  'Copy the file to where you keep the secret. Then run `counterfoil secrets rewrap`: it says what still needs the old secret.';
const ON_EVERY_NODE =
  'Set this on every node, first with the old secret in front, so that each verifies both; then in this order.';

export function secretsRewrap(parent: Command): void {
  declare(parent, {
    usage: 'rewrap',
    summary: 'Encrypt the keys of personal data under the newest master secret, and say what still needs an older one',
    examples: ['secrets rewrap'],
    rules: [
      'Encrypts the keys of personal data under the newest secret, beside running services that have it. Each key is read back and compared; the next run finishes an interrupted one.',
      'When all are bound, the store refuses a key that is not, from the next start of each process on; every node must have this version by then. Exits 1 if keys open with none of the secrets.',
    ],
    json: '{keys, rewrapped, unopened, older, rotatedAt, apiKeys, incomingWebhooks, recoveryCodes, endsAt}',
    settings: STORE_SETTINGS,
  }).action(rewrap);
}

async function rewrap(options: CommonOptions): Promise<void> {
  const { checkEndHere, withClock } = await import('./open/with-stores.ts');
  const { storeWaitOf } = await import('./open/wait-for-store.ts');
  const { loadSecrets } = await import('./open/secret-file.ts');
  const { openKeyStore } = await import('./open/stores.ts');
  const { madeWithOlderSecrets } = await import('./older-secrets.ts');
  const { keyStoreIdOf, PersonalKeys } = await import('../journal/personal-keys.ts');
  const { checkKeyStore, openStoreStamp, recordBeforeBreak, recordBoundKeys } = await import(
    '../journal/store-stamp.ts'
  );
  const { rewrapKeys } = await import('../journal/rewrap-keys.ts');
  const { Secrets } = await import('../secrets.ts');
  const { openProgress } = await import('./progress.ts');
  const { interruptible } = await import('./interrupt.ts');
  const config = configOf(options);
  await withClock(options, async ({ events, report, clock: { world } }) => {
    const masters = await loadSecrets(config, world, report);
    const secrets = new Secrets(masters);
    await checkEndHere(options, events, world);
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
      print({ json: { ...found, older, ...asJson(inUse) }, text: inWords(found, older, inUse) }, options);
      if (found.unopened > 0) process.exitCode = EXIT.refused;
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
