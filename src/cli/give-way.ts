// Long work beside a running service gives way to it: with all threads of its process, those that Node started before this ran too.
import { readdirSync } from 'node:fs';
import { setPriority } from 'node:os';

const LONG_WORK: readonly (readonly [string, string])[] = [['projections', 'rebuild']];

/** `words`: of the command line, the command first. A thread that starts later has the priority of the thread that starts it. */
export async function giveWay([group, command]: readonly string[]): Promise<void> {
  const isLong = LONG_WORK.some(([itsGroup, itsCommand]) => itsGroup === group && itsCommand === command);
  if (!isLong || process.platform !== 'linux') return; // elsewhere a thread has no priority of its own
  const { NICE } = await import('../stores/sqlite/file/thread.ts');
  for (const thread of readdirSync('/proc/self/task')) setPriority(Number(thread), NICE);
}
