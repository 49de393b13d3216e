// The folder of the repository, for tests that read its files: the same from source and compiled.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Its mark is a file that the compiled tests have no copy of. */
function rootAbove(folder: string): string {
  if (existsSync(join(folder, 'tsconfig.json'))) return folder;
  if (folder === dirname(folder)) throw new Error('no folder above this file holds a tsconfig.json');
  return rootAbove(dirname(folder));
}

/** An absolute path. */
export const ROOT = rootAbove(dirname(fileURLToPath(import.meta.url)));
