// The priority of threads whose work may wait: on Linux, where alone a thread has a priority of its own, they give way
// to others.
import { readdirSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

/** The nice value: a tenth of the weight of a thread that answers requests, where both want the same core. */
const NICE = 10;
const CALLING_THREAD = 0;

/** The calling thread gives way to those that answer requests. Never throws. */
export function lowerThreadPriority(): void {
  if (process.platform === 'linux') lower(CALLING_THREAD);
}

/**
 * All threads of the process give way, those of V8 too. A thread that starts later has the priority of the one that
 * starts it. Never throws.
 */
export function lowerProcessPriority(): void {
  if (process.platform !== 'linux') return;
  for (const thread of threadsOfProcess()) lower(thread);
}

/**
 * A thread that gives way already, for example after `nice -n 15`, stays as it is: only few users may raise a priority.
 */
function lower(thread: number): void {
  try {
    if (getPriority(thread) < NICE) setPriority(thread, NICE);
  } catch {
    // it has ended, or this system does not allow it: the work itself goes on
  }
}

function threadsOfProcess(): readonly number[] {
  try {
    return readdirSync('/proc/self/task').map(Number);
  } catch {
    return [CALLING_THREAD]; // a system that does not show its processes
  }
}
