// counterfoil secrets rotate: a new master secret in front of the old ones, which still verify.
import type { Command } from 'commander';
import { type CommonOptions, configOf, declare, STORE_SETTINGS } from './command.ts';
import { Refused } from './exit.ts';
import { print } from './output.ts';

export function secretsRotate(parent: Command): void {
  declare(parent, {
    usage: 'rotate',
    summary: 'Put a new master secret in front of the old ones, which still verify',
    examples: ['secrets rotate'],
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
  const { withEventLog } = await import('./open/with-stores.ts');
  const { openStoreStamp } = await import('../journal/store-stamp.ts');
  const { Secrets } = await import('../secrets.ts');
  const file = secretFileIn(config.dataDir);
  const older = await withEventLog(options, (events, world) =>
    alone(config.dataDir, LOCK, async () => {
      const stored = await readSecretFile(file);
      if (stored === undefined)
        throw new Refused(`There is no ${file}. If the secret is in COUNTERFOIL_SECRET elsewhere, set it here too.`);
      const before = [stored.secret, ...stored.older];
      await openStoreStamp(events, world, new Secrets(before), config.mode); // throws unless they open the store
      await replaceSecretFile(file, [fresh, ...before], world);
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
  'Copy the file to where you keep the secret. Each API key from before needs the old secret until `keys rotate`.';
const ON_EVERY_NODE =
  'Set this on every node, first with the old secret in front, so that each verifies both; then in this order.';
