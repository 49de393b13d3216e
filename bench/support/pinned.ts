// Child processes on one core each: the server with all its threads on one, the load on the other, so that neither takes from the other.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export const SERVER_CORE = 0;
export const LOAD_CORE = 1;

/**
 * What `npm start` gives to node. What requests hold while they wait for the disk survives each collection of new objects and is
 * copied by it: with twice the room there are half as many.
 */
export const AS_STARTED: readonly string[] = ['--max-semi-space-size=32'];

/** A node process pinned to a core with all its threads (taskset, from util-linux). */
export const pinned = (core: number, args: readonly string[], env: Readonly<Record<string, string>> = {}): ChildProcess =>
  spawn('taskset', ['-c', String(core), process.execPath, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });

/** One that goes where the kernel puts it. */
export const unpinned = (args: readonly string[], env: Readonly<Record<string, string>> = {}): ChildProcess =>
  spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, ...env } });

/** The first line of its output that matches, as the pattern's first group. */
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
