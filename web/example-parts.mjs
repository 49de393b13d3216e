// Writes the parts of examples/ that the guides show: the fence under `<!-- part: file, name -->` is what the file has
// between `docs: name` and `docs: end`. Part of `npm run build`; with --check it writes nothing, and fails if a guide
// shows other lines.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const FENCE = /^(<!-- part: (\S+), (\w+) -->\n\n```\w+\n)[\s\S]*?^(?=```$)/gm;

const read = (/** @type {string} */ path) => readFileSync(join(ROOT, path), 'utf8');
const guides = readdirSync(join(ROOT, 'docs/guides')).map((name) => `docs/guides/${name}`);
const isCheck = process.argv.includes('--check');

const stale = guides.filter((guide) => {
  const before = read(guide);
  const after = before.replaceAll(FENCE, (_, opening, file, name) => opening + partOf(file, name));
  if (after === before) return false;
  if (!isCheck) writeFileSync(join(ROOT, guide), after);
  return true;
});
if (isCheck && stale.length > 0) {
  console.error(`These guides are not as the examples are; run \`npm run build\`: ${stale.join(', ')}.`);
  process.exitCode = 1;
}

/** The lines of a part, which stand alone. Throws if the file does not have the part once. */
function partOf(/** @type {string} */ file, /** @type {string} */ name) {
  const parts = read(file).split(new RegExp(`^(?://|#) docs: ${name}\\n`, 'm'));
  const end = parts[1]?.search(/^(?:\/\/|#) docs: end$/m) ?? -1;
  if (parts.length !== 2 || end === -1) throw new Error(`${file} has no part ${name}, or more than one`);
  return parts[1]?.slice(0, end);
}
