// The compiled command line for tests: as users run it, and faster to start than from source. Compiled here when it is
// older than the source.
import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/root.ts';

const timeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Number.NEGATIVE_INFINITY;

function isFresh(): boolean {
  const sources = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.ts'),
  );
  return sources.every(
    (path) => timeOf(join(ROOT, 'src', path)) <= timeOf(join(ROOT, 'dist', path.replace(/\.ts$/, '.js'))),
  );
}

let compiled: string | undefined;

/** Path of the main.js that users run; `npm test` has compiled it already. */
export function compiledMain(): string {
  compiled ??= compileIfNeeded();
  return compiled;
}

/**
 * Path of the main.js that most tests start: of the bundle beside compiled tests, and from source of the one that users
 * run.
 */
export const quickMain = (): string =>
  import.meta.url.endsWith('.ts') ? compiledMain() : join(ROOT, 'dist/command-line/main.cjs');

function compileIfNeeded(): string {
  const main = join(ROOT, 'dist/cli/main.js');
  if (!isFresh()) {
    const flags = ['-p', 'tsconfig.build.json', '--incremental', 'false', '--tsBuildInfoFile', 'null'];
    const { stdout } = spawnSync(join(ROOT, 'node_modules/.bin/tsc'), flags, { cwd: ROOT, encoding: 'utf8' });
    if (timeOf(main) === Number.NEGATIVE_INFINITY) throw new Error(`the source does not compile: ${stdout}`);
  }
  return main;
}
