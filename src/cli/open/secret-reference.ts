// What a reference to a secret names: a variable of the environment, or a file. Read each time that it is used.
import { constants, open } from 'node:fs/promises';
import { type SecretOf, UnresolvedSecret } from '../../commands/connections/secret-reference.ts';
import type { Environment } from '../../config.ts';

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
