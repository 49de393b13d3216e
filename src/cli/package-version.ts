// The version of the package that contains this file, compiled or not.
import { readFileSync } from 'node:fs';

/** Without a parser of JSON schemas, because each start of the command line needs it. */
export function packageVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  const [, version] = /^ {2}"version": "([^"]+)"/m.exec(text) ?? [];
  if (version === undefined) throw new TypeError('package.json has no version');
  return version;
}
