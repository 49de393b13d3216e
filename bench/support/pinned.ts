// Child processes pinned to one core each: the server on one, the load on the other, so that they do not compete.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export const SERVER_CORE = 0;
export const LOAD_CORE = 1;

/**
 * The semi-space of `npm start`. Objects of requests that wait for the disk survive each collection of new objects,
 * which copies them; with twice the room there are half as many collections.
 */
export const AS_STARTED: readonly string[] = ['--max-semi-space-size=64'];

/** Starts a node process pinned to a core with all its threads (taskset, from util-linux). */
export const pinned = (
  core: number,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): ChildProcess =>
  spawn('taskset', ['-c', String(core), process.execPath, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });

/** Starts a node process that is not pinned. */
export const unpinned = (args: readonly string[], env: Readonly<Record<string, string>> = {}): ChildProcess =>
  spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, ...env } });

/** The first group of the first line of its output that matches. */
export async function lineOf(child: ChildProcess, pattern: RegExp): Promise<string> {
  if (child.stdout === null) throw new Error('the child has no output');
  for await (const line of createInterface(child.stdout)) {
    const found = pattern.exec(line)?.[1];
    if (found !== undefined) {
      child.stdout.resume();
      return found;
    }
  }
  throw new Error(`the child ended without a line like ${pattern}`);
}

export async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}
