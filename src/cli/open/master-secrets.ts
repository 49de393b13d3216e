// The master secrets of a configuration: the set secrets, or the secret in the data directory, made when the store is made.
import { access } from 'node:fs/promises';
import { type Config, checkSecretIsSet, WrongSettings } from '../../config.ts';
import type { World } from '../../world.ts';
import { makeSecretFile, readSecretFile, type SecretFile, secretFileIn } from './secret-file.ts';

/**
 * 32 bytes each; the first one makes new stores. Throws WrongSettings where a secret must be set and is not (see checkSecretIsSet),
 * and when a store is there but its secret is not: a new one could not open it.
 */
export async function loadSecrets(config: Config, world: World, warn: (warning: string) => void): Promise<readonly Buffer[]> {
  checkSecretIsSet(config);
  if (config.secrets !== undefined) return config.secrets;
  const { secret, warning } = await storedSecret(config, world);
  if (warning !== undefined) warn(warning);
  return [secret];
}

async function storedSecret({ dataDir, eventStore }: Config, world: World): Promise<SecretFile> {
  const file = secretFileIn(dataDir);
  const stored = await readSecretFile(file);
  if (stored !== undefined) return stored;
  if (eventStore.kind !== 'sqlite' || !(await exists(eventStore.file))) return makeSecretFile(dataDir, world);
  // Another process may have made the secret, and then the store, between the two looks; a secret is always there first.
  const since = await readSecretFile(file);
  if (since !== undefined) return since;
  throw new WrongSettings([
    `The secret of the store ${eventStore.file} is not there: put ${file} back, or set COUNTERFOIL_SECRET. Without it the store cannot be opened.`,
  ]);
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
