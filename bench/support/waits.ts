// Runs an open load in a process of its own, and reads how long its calls waited.
import type { ChildProcess } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { OpenLoad, Waited } from './open-load.ts';
import { lineOf } from './pinned.ts';

const openLoad = fileURLToPath(new URL('open-load.ts', import.meta.url));
const WaitedLine = z.object({
  p50Ms: z.number(),
  p99Ms: z.number(),
  maxMs: z.number(),
  calls: z.number(),
  refused: z.number(),
});

/** `when`: words for the line on stderr. Throws when a call was not answered with 2xx. */
export async function waited(
  directory: string,
  load: OpenLoad,
  when: string,
  run: (args: readonly string[]) => ChildProcess,
): Promise<Waited> {
  const file = join(directory, 'open-load.json');
  await writeFile(file, JSON.stringify(load));
  const found = WaitedLine.parse(JSON.parse(await lineOf(run(['--import', 'tsx', openLoad, file]), /^Waited (.*)$/)));
  if (found.refused > 0) throw new Error(`${found.refused} calls were not answered with 2xx`);
  const { p50Ms, p99Ms, maxMs, calls } = found;
  process.stderr.write(
    `  ${when}: p50 ${p50Ms.toFixed(1)}, p99 ${p99Ms.toFixed(1)}, at most ${maxMs.toFixed(1)} ms, of ${calls} calls\n`,
  );
  return found;
}
