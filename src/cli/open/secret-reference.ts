// What a reference to a secret names: a variable of the environment, or a file. Read each time that it is used.
import { readFile } from 'node:fs/promises';
import { type SecretOf, UnresolvedSecret } from '../../commands/connections/secret-reference.ts';
import type { Environment } from '../../config.ts';

/** Without the blanks and line ends around it. */
export const secretsOfMachine =
  (environment: Environment): SecretOf =>
  async (reference) => {
    const [kind = '', name = ''] = split(reference);
    if (kind === 'env') return told(reference, environment[name], 'the variable is not set');
    if (kind !== 'file') throw new UnresolvedSecret(reference, 'only env:NAME and file:PATH name secrets');
    const text = await readFile(name, 'utf8').catch((fault: NodeJS.ErrnoException) => {
      throw new UnresolvedSecret(reference, fault.code === 'ENOENT' ? 'there is no such file' : `${fault.code}`);
    });
    return told(reference, text, 'the file is empty');
  };

const split = (reference: string): readonly string[] => {
  const at = reference.indexOf(':');
  return [reference.slice(0, at), reference.slice(at + 1)];
};

function told(reference: string, text: string | undefined, otherwise: string): string {
  const secret = text?.trim() ?? '';
  if (secret === '') throw new UnresolvedSecret(reference, otherwise);
  return secret;
}
