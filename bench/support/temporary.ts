// The folder of a benchmark's files. BENCH_DIR names its parent, on the disk to be measured: the system's own may be in
// memory.
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A new, empty folder; the caller removes it. */
export const temporary = (): Promise<string> =>
  mkdtemp(join(process.env['BENCH_DIR'] ?? tmpdir(), 'counterfoil-bench-'));
