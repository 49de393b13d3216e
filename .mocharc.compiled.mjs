// How `npm test` runs the compiled tests: the longest files first, so that none of them is left to one core at the end.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const COMPILED = 'dist/tests/test';

/** Files that take longest, by path below test/. Any other place is right as well, and only slower. */
const LONGEST = [];

const place = (path) => (LONGEST.includes(path) ? LONGEST.indexOf(path) : LONGEST.length);
const paths = readdirSync(COMPILED, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.test.js'));
const inOrder = paths.sort((one, other) => place(one) - place(other) || (one < other ? -1 : 1));

export default {
  'node-option': ['enable-source-maps'],
  require: [`./${COMPILED}/support/waits-once-for-minutes.js`],
  timeout: 300_000,
  exit: false,
  spec: inOrder.map((path) => join(COMPILED, path)),
};
