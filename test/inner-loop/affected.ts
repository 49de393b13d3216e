// npm run affected: runs the tests that what changed against main can break, the nearest in the graph of imports first.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync, watch } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { ROOT } from '../support/root.ts';
import { affectedTests, within } from './affected-tests.ts';
import { importersOfAll, withStarted } from './imports.ts';

const HELP = `npm run affected -- [options]
  --list         name the tests, and run none
  --seconds N    only the nearest that take so much CPU together, by the times of their last runs
  --watch        then wait for changes, and run the tests of each
`;
const FOLDERS = ['client/src', 'src', 'test', 'web', 'docs', 'deploy'];
/** An editor, and Git, write several files at once. */
const SETTLED_MS = 300;

const Times = z.record(z.string(), z.object({ cpu: z.number() }));

const { values: options } = parseArgs({
  options: {
    list: { type: 'boolean' },
    seconds: { type: 'string' },
    watch: { type: 'boolean' },
    help: { type: 'boolean' },
  },
});
const git = (...args: readonly string[]): string => execFileSync('git', args, { encoding: 'utf8' }).trim();
const lines = (text: string): readonly string[] => text.split('\n').filter((line) => line !== '');

process.chdir(ROOT);
if (options.help === true) {
  process.stdout.write(HELP);
} else {
  process.exitCode = await runTestsOf(changedSinceMain());
  if (options.watch === true) watchForChanges();
}

/** Committed or not, and new files too. */
function changedSinceMain(): readonly string[] {
  const base = git('merge-base', 'main', 'HEAD');
  return [...lines(git('diff', '--name-only', base)), ...lines(git('ls-files', '--others', '--exclude-standard'))];
}

/** The exit code. */
async function runTestsOf(changed: readonly string[]): Promise<number> {
  const all = affectedTests(changed, withStarted(await importersOfAll()));
  const tests = options.seconds === undefined ? all : within(Number(options.seconds), all, timeOf());
  process.stdout.write(
    `${changed.length} changed files reach ${all.length} files of tests${tests.length < all.length ? `, ${tests.length} of them are run` : ''}\n`,
  );
  if (options.list === true) process.stdout.write(tests.map((test) => `${test}\n`).join(''));
  if (options.list === true || tests.length === 0) return 0;
  const compiled = tests.map((test) => test.replace(/^test\//, '').replace(/\.ts$/, '.js')).join(' ');
  return (
    run('npm', ['run', '--silent', 'build']) ||
    run('npm', ['run', '--silent', 'build:tests']) ||
    run('node_modules/.bin/mocha', ['--config', '.mocharc.compiled.mjs'], { TEST_FILES: compiled })
  );
}

function run(command: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): number {
  return spawnSync(command, args, { stdio: 'inherit', env: { ...process.env, ...env } }).status ?? 1;
}

function timeOf(): (test: string) => number {
  const path = 'dist/inner-loop/test-times.json';
  const times = existsSync(path) ? Times.parse(JSON.parse(readFileSync(path, 'utf8'))) : {};
  return (test) => times[test.replace(/^test\//, '').replace(/\.ts$/, '.js')]?.cpu ?? 0;
}

/** Until the process is ended. What changes during a run is the next one's. */
function watchForChanges(): void {
  const changed = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  const take = async (): Promise<void> => {
    const paths = [...changed].filter((path) => !isIgnored(path));
    changed.clear();
    if (paths.length > 0) await runTestsOf(paths);
    if (paths.length > 0) process.stdout.write('waits for changes\n');
  };
  const note = (path: string): void => {
    changed.add(path);
    clearTimeout(timer);
    timer = setTimeout(() => void take(), SETTLED_MS);
  };
  watch('.', (_, name) => void (name !== null && note(name)));
  for (const folder of FOLDERS)
    watch(folder, { recursive: true }, (_, name) => void (name !== null && note(join(folder, name))));
  process.stdout.write('waits for changes\n');
}

/** Folders, what is gone, and what Git ignores. */
function isIgnored(path: string): boolean {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return true;
  return spawnSync('git', ['check-ignore', '--quiet', path]).status === 0;
}
