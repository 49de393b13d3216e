// Secrets of this machine: the generated master secret, in a file that only its owner can read and that is made once,
// and what references to secrets of processors name.
import { access, constants, link, mkdir, open, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../app-error.ts';
import { type SecretOf, UnresolvedSecret } from '../../commands/connections/secret-reference.ts';
import { type Config, checkSecretIsSet, type Environment, WrongSettings } from '../../config.ts';
import { newUuid, type World } from '../../world.ts';
import { Refused } from '../exit.ts';
import { openPrivate, replaceFile, syncPath } from '../files.ts';

const SHAPE = /^[A-Za-z0-9_-]{43}(?:,[A-Za-z0-9_-]{43})*$/;
const OTHERS_MAY_READ = 0o077;

interface SecretFile {
  /** The secret that signs. */
  readonly secret: Buffer;
  /** The secrets from before rotations, which only verify. */
  readonly older: readonly Buffer[];
  /** A message that the owner of the file should read. */
  readonly warning?: string;
}

export const secretFileIn = (dataDir: string): string => join(dataDir, 'secret.key');

/**
 * The secret in the file; undefined if there is none. Throws WrongSettings if the file holds no secret.
 */
export async function readSecretFile(file: string): Promise<SecretFile | undefined> {
  const text = await readFile(file, 'utf8').catch((fault: NodeJS.ErrnoException) => {
    if (fault.code === 'ENOENT') return undefined;
    throw new AppError('WrongSettings', `${file} cannot be read: ${fault.message}`, fault);
  });
  if (text === undefined) return undefined;
  if (!SHAPE.test(text.trim()))
    throw new WrongSettings([
      `${file} does not contain a secret: allowed is 32 bytes as base64url; several, separated by commas.`,
    ]);
  const [secret, ...older] = text
    .trim()
    .split(',')
    .map((one) => Buffer.from(one, 'base64url'));
  if (secret === undefined) throw new TypeError('a text without any part');
  const { mode } = await stat(file);
  const exposed = process.platform !== 'win32' && (mode & OTHERS_MAY_READ) !== 0;
  return {
    secret,
    older,
    ...(exposed && { warning: `Other users of this machine can read ${file}. Run chmod 600 on it.` }),
  };
}

/**
 * Makes the file unless another process was faster, and answers its content. It is on the disk when this resolves:
 * a store whose secret was lost with the power could never be opened again.
 */
async function makeSecretFile(dataDir: string, world: World): Promise<SecretFile> {
  const file = secretFileIn(dataDir);
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const draft = `${file}.${newUuid(world)}`;
  try {
    const handle = await openPrivate(draft);
    try {
      await handle.writeFile(`${Buffer.from(world.randomBytes(32)).toString('base64url')}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    // A link appears whole or not at all, and never replaces an existing file.
    await link(draft, file).catch((fault: NodeJS.ErrnoException) => {
      if (fault.code !== 'EEXIST') throw fault;
    });
    await syncPath(dataDir);
  } catch (fault) {
    throw new AppError('WrongSettings', `${file} cannot be created: ${String(fault)}`, fault);
  } finally {
    await rm(draft, { force: true });
  }
  const made = await readSecretFile(file);
  if (made === undefined) throw new AppError('WrongSettings', `${file} disappeared while it was being created.`);
  return made;
}

/**
 * 32 bytes each; the first one makes new stores. Throws WrongSettings if a secret must be set and is not (see
 * checkSecretIsSet), and when a store is there but its secret is not: a new one could not open it.
 */
export async function loadSecrets(
  config: Config,
  world: World,
  warn: (warning: string) => void,
): Promise<readonly Buffer[]> {
  checkSecretIsSet(config);
  if (config.secrets !== undefined) return config.secrets;
  const { secret, older, warning } = await storedSecret(config, world);
  if (warning !== undefined) warn(warning);
  return [secret, ...older];
}

/**
 * Replaces the file in one step, and reads it back. Throws Refused if it does not have what was written. `replace`: for
 * tests, writes the text.
 */
export async function replaceSecretFile(
  file: string,
  secrets: readonly Buffer[],
  replace: typeof replaceFile = replaceFile,
): Promise<void> {
  const text = `${secretsText(secrets)}\n`;
  await replace(file, text);
  if ((await readFile(file, 'utf8')) === text) return;
  throw new Refused(
    `${file} does not have what was written to it: look at the disk. Put back the copy of the file from where you keep it.`,
  );
}

/** Secrets as the setting and the file have them. */
export const secretsText = (secrets: readonly Buffer[]): string =>
  secrets.map((secret) => secret.toString('base64url')).join(',');

async function storedSecret({ dataDir, eventStore }: Config, world: World): Promise<SecretFile> {
  const file = secretFileIn(dataDir);
  const stored = await readSecretFile(file);
  if (stored !== undefined) return stored;
  if (eventStore.kind !== 'sqlite' || !(await exists(eventStore.file))) return makeSecretFile(dataDir, world);
  // Another process may have made the secret, and then the store, between the two looks; a secret is always there
  // first.
  const since = await readSecretFile(file);
  if (since !== undefined) return since;
  throw new WrongSettings([
    `The secret of the store ${eventStore.file} is missing. Restore ${file}, or set COUNTERFOIL_SECRET. Without the secret the store cannot be opened.`,
  ]);
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** Larger files hold no secret. */
const MOST_BYTES = 65_536;
/** A device or a pipe could make a read wait without end: neither the opening nor a read waits. */
const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;

/** Without the blanks and line ends around it. A file must be a regular one of at most 64 KiB. */
export const secretsOfMachine =
  (environment: Environment): SecretOf =>
  async (reference) => {
    const [kind = '', name = ''] = split(reference);
    if (kind === 'env') {
      const value = Object.hasOwn(environment, name) ? environment[name] : undefined;
      return told(reference, value, 'the variable is not set');
    }
    if (kind !== 'file') throw new UnresolvedSecret(reference, 'only env:NAME and file:PATH name secrets');
    const text = await textOf(name).catch((fault: NodeJS.ErrnoException) => {
      throw new UnresolvedSecret(reference, WHY[fault.code ?? ''] ?? fault.code ?? fault.message);
    });
    return told(reference, text, 'the file is empty');
  };

const WHY: { readonly [code: string]: string } = { ENOENT: 'there is no such file' };

async function textOf(path: string): Promise<string> {
  const file = await open(path, FLAGS);
  try {
    if (!(await file.stat()).isFile()) throw new Error('it is not a regular file');
    const bytes = Buffer.alloc(MOST_BYTES + 1);
    let length = 0;
    for (let read = -1; read !== 0 && length < bytes.length; length += read)
      read = (await file.read(bytes, length, bytes.length - length, null)).bytesRead;
    if (length > MOST_BYTES) throw new Error('the file has more than 64 KiB');
    return bytes.toString('utf8', 0, length);
  } finally {
    await file.close();
  }
}

const split = (reference: string): readonly string[] => {
  const at = reference.indexOf(':');
  return [reference.slice(0, at), reference.slice(at + 1)];
};

function told(reference: string, text: string | undefined, otherwise: string): string {
  const secret = text?.trim() ?? '';
  if (secret === '') throw new UnresolvedSecret(reference, otherwise);
  return secret;
}
