// Checks whether dist/web was built from exactly these files, because `npm test` builds again after `npm ci`, which
// takes ten seconds.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDERS = ['client', 'client-python', 'deploy', 'docs', 'src', 'web'];
/** Made by the build itself or by Python, or under the lock file. */
const LEFT_OUT = /(^|\/)(node_modules|dist|__pycache__|api-types\.(d\.)?ts)(\/|$)/;

/**
 * A digest of everything that the build reads: sources, pages, and the versions of packages and of Node.
 * @param {string} root
 */
export function inputsOf(root) {
  const hash = createHash('sha256').update(process.version);
  const files = readdirSync(root, { withFileTypes: true }).flatMap((entry) =>
    entry.isFile() && /\.(md|json)$/.test(entry.name) ? [entry.name] : [],
  );
  const below = FOLDERS.flatMap((folder) => filesIn(root, folder));
  for (const path of [...files, ...below].sort()) hash.update(`\0${path}\0`).update(readFileSync(join(root, path)));
  return hash.digest('hex');
}

/** @param {string} root @param {string} folder @returns {readonly string[]} */
function filesIn(root, folder) {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (LEFT_OUT.test(path)) return [];
    return entry.isDirectory() ? filesIn(root, path) : [path];
  });
}

/**
 * @param {string} stamp the file in which the last build left its digest
 * @param {string} inputs
 * @param {readonly string[]} outputs files that it made
 */
export const isBuilt = (stamp, inputs, outputs) =>
  existsSync(stamp) && readFileSync(stamp, 'utf8') === inputs && outputs.every((path) => existsSync(path));
