// npm run check: format, lint, prose, the direction of imports, and types. A step looks again at what changed since it
// last passed; `--all` forgets that.
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { ROOT } from '../support/root.ts';
import { visibleToRules } from './changed-imports.ts';
import { isProse, wordsToMend } from './prose.ts';

/** The memory of the steps. It is not committed: a fresh clone is checked as a whole. */
const KEPT = 'dist/inner-loop';
const PASSED = join(KEPT, 'passed.json');
/** A change of one of these can change what Biome says of any file. */
const LINT_RULES = /^(biome.*|package-lock\.json|\.gitignore|\.editorconfig)$/;
/** So many files on one command line; more are linted as a whole tree. */
const MANY = 500;

/**
 * `linted`: the hash of each file that Biome had no complaint about; `imports`: one of all imports that kept the rules.
 */
const Passed = z.object({ linted: z.record(z.string(), z.string()), imports: z.string() });
type Passed = z.output<typeof Passed>;

process.chdir(ROOT);
if (process.argv.includes('--all')) rmSync(KEPT, { recursive: true, force: true });
mkdirSync(KEPT, { recursive: true });
const passed: Passed = existsSync(PASSED)
  ? Passed.parse(JSON.parse(readFileSync(PASSED, 'utf8')))
  : { linted: {}, imports: '' };

const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
  encoding: 'utf8',
  maxBuffer: 2 ** 26,
});
const files = listed.split('\0').filter((path) => path !== '' && existsSync(path));
const contents = new Map(files.map((path) => [path, readFileSync(path)]));

const linted = await lint();
const toMend = [...contents].flatMap(([path, content]) => (isProse(path) ? wordsToMend(path, content.toString()) : []));
for (const line of toMend) console.error(line);
if (linted === undefined || toMend.length > 0) process.exit(1);
const imports = hash(...[...contents].flatMap(([path, content]) => visibleToRules(path, content.toString())));
const cruised = imports === passed.imports || run('depcruise', 'client/src', 'src', 'test', 'bench');
const typed = (await types('tsconfig.json')) && (await types('web/tsconfig.json'));
const isCruised = await cruised;
writeFileSync(PASSED, JSON.stringify({ linted, imports: isCruised ? imports : '' } satisfies Passed));
process.exitCode = isCruised && typed ? 0 : 1;

/** The hashes of all files when they are in order. A rule of Biome looks at one file alone. */
async function lint(): Promise<Passed['linted'] | undefined> {
  const hashes = Object.fromEntries([...contents].map(([path, content]) => [path, hash(content)]));
  const changed = files.filter((path) => passed.linted[path] !== hashes[path]);
  if (changed.length === 0) return hashes;
  const isWhole = changed.length > MANY || changed.some((path) => LINT_RULES.test(path));
  const which = isWhole ? ['.'] : ['--files-ignore-unknown=true', '--no-errors-on-unmatched', ...changed];
  return (await run('biome', 'ci', ...which)) ? hashes : undefined;
}

/** `--checkers 1`: more of them take more memory, and no less CPU. */
function types(project: string): Promise<boolean> {
  const remembered = join(KEPT, `${project.replaceAll('/', '-')}.tsbuildinfo`);
  return run('tsc', '-p', project, '--noEmit', '--checkers', '1', '--incremental', '--tsBuildInfoFile', remembered);
}

/** True if the command ended well. */
function run(command: string, ...args: readonly string[]): Promise<boolean> {
  const child = spawn(join('node_modules/.bin', command), args, { stdio: 'inherit' });
  return new Promise((resolve, reject) => child.once('error', reject).once('close', (code) => resolve(code === 0)));
}

function hash(...parts: readonly (string | Buffer)[]): string {
  const all = createHash('sha256');
  for (const part of parts) all.update(part).update('\0');
  return all.digest('base64');
}
