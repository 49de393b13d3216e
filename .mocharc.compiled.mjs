// How `npm test` and `npm run test:rest` run the compiled tests: the longest files first, so that none of them is left
// to one core at the end.
import { accessSync, constants, existsSync, readdirSync, readFileSync, statfsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { isFast, isRest } from './test/parts.mjs';

const COMPILED = 'dist/tests/test';

/**
 * The time of each test file, by its path below test/: as measured on this machine, otherwise as committed.
 * `test/support/file-times.ts` keeps both.
 */
const read = (path) => (existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {});
const times = { ...read('test/inner-loop/times.json'), ...read('dist/inner-loop/test-times.json') };
const secondsOf = (path) => times[path]?.seconds ?? 0;

/**
 * The files of tests live for seconds. If there is room for them in memory, no test waits for a disk.
 * TMPDIR names another place.
 */
const MEMORY = '/dev/shm';
const MUCH_ROOM = 4 * 2 ** 30;

function hasRoom(folder) {
  try {
    accessSync(folder, constants.W_OK);
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize >= MUCH_ROOM;
  } catch {
    return false;
  }
}

if (process.env.TMPDIR === undefined && hasRoom(MEMORY)) process.env.TMPDIR = MEMORY;

/** PART names the part of the suite; without it, all files of tests are meant. */
const isMeant = { fast: isFast, rest: isRest }[process.env.PART] ?? (() => true);
const paths = readdirSync(COMPILED, { recursive: true, encoding: 'utf8' }).filter(
  (path) => path.endsWith('.test.js') && isMeant(path),
);
const longestFirst = paths.sort((one, other) => secondsOf(other) - secondsOf(one) || (one < other ? -1 : 1));
/** `npm run affected` names files, separated by blanks, in an order of its own. */
const chosen = process.env.TEST_FILES?.split(' ') ?? longestFirst;

/**
 * Two files for each core, because some wait while others compute. Six on two cores took a minute longer.
 * The longest file bounds what more of them can gain.
 */
const most = 2 * availableParallelism();
const seconds = chosen.map(secondsOf);
const useful = Math.ceil(seconds.reduce((sum, one) => sum + one, 0) / Math.max(...seconds)) || most;
const jobs = Math.max(2, Math.min(most, useful));

export default {
  parallel: true,
  jobs,
  // Room for new objects, MiB: with the usual 16 a busy test spends a tenth of its time on clearing them away.
  'node-option': ['enable-source-maps', 'max-semi-space-size=32'],
  require: ['support/mocha-hooks', 'browser/support/announce', 'support/file-times'].map(
    (name) => `./${COMPILED}/${name}.js`,
  ),
  timeout: 300_000,
  exit: false,
  spec: chosen.map((path) => join(COMPILED, path)),
};
