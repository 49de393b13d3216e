// Runs compiled files of tests in a workshop, up to the first test that fails.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';

/** For one test: minutes would be waited for whatever hangs. The same run without the fault shows a slow machine. */
const TEST_MS = 120_000;
/** For a run, whatever its tests say of themselves. */
const RUN_MS = 1_200_000;

const Report = z.object({
  stats: z.object({ passes: z.number() }),
  failures: z.array(
    z.object({ fullTitle: z.string(), file: z.string().nullish(), err: z.object({ message: z.string().optional() }) }),
  ),
});

export type Ended =
  | { readonly kind: 'passed'; readonly passes: number }
  /** `file`: of the test, as it was given; undefined where the run itself failed. */
  | {
      readonly kind: 'failed';
      readonly file: string | undefined;
      readonly title: string;
      readonly why: string;
      readonly isTimeout: boolean;
    };

export interface TestRun {
  /** Their paths below test/. */
  readonly files: readonly string[];
  /** Only tests whose titles match. */
  readonly grep?: string;
  /** Some files have fewer tests in the fast part. */
  readonly part: 'fast' | 'rest';
}

/** `root`: of the workshop. */
export async function runTests(root: string, { files, grep, part }: TestRun): Promise<Ended> {
  const folder = mkdtempSync(join(tmpdir(), 'counterfoil-report-'));
  const output = join(folder, 'report.json');
  const args = [
    'node_modules/mocha/bin/mocha.js',
    ...['--config', '.mocharc.compiled.mjs', '--no-parallel', '--exit', '--bail', '--timeout', String(TEST_MS)],
    ...['--reporter', 'json', '--reporter-option', `output=${output}`],
    ...(grep === undefined ? [] : ['--grep', grep]),
  ];
  const env = { ...process.env, PART: part, TEST_FILES: files.map((file) => file.replace(/\.ts$/, '.js')).join(' ') };
  try {
    const { code, printed } = await finished(root, args, env);
    const report = existsSync(output) ? Report.safeParse(JSON.parse(readFileSync(output, 'utf8'))).data : undefined;
    const [failure] = report?.failures ?? [];
    if (failure !== undefined) {
      const { fullTitle: title, file, err } = failure;
      const why = err.message ?? '';
      const of = files.find((one) => file?.endsWith(one.replace(/\.ts$/, '.js')));
      return {
        kind: 'failed',
        file: of ?? (files.length === 1 ? files[0] : undefined),
        title,
        why,
        isTimeout: /^Timeout of \d+ms/.test(why),
      };
    }
    if (report !== undefined && code === 0) return { kind: 'passed', passes: report.stats.passes };
    const why = code === undefined ? 'the run has not ended' : printed.slice(-500);
    return {
      kind: 'failed',
      file: files.length === 1 ? files[0] : undefined,
      title: '',
      why,
      isTimeout: code === undefined,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** `code`: undefined if it had to be ended. */
function finished(
  cwd: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<{ readonly code: number | undefined; readonly printed: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    let printed = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (text) => {
        printed = (printed + String(text)).slice(-10_000);
      });
    let isLate = false;
    const end = (): void => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL'); // with all that it has started
      } catch {
        // they have ended
      }
    };
    const timer = setTimeout(() => {
      isLate = true;
      end();
    }, RUN_MS);
    child.once('exit', (code) => {
      clearTimeout(timer);
      end();
      resolve({ code: isLate ? undefined : (code ?? 1), printed });
    });
  });
}
