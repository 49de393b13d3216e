// Starts a worker thread from a module beside the caller's, whether that runs from source or compiled.
import { readdirSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import { Worker, type WorkerOptions } from 'node:worker_threads';

/**
 * URL of a module beside the caller's, for a thread to load: a `.ts` file when running from source, a `.js` file when compiled.
 * (The compiler rewrites the extension of imports, not of URLs.)
 */
export const besides = (name: string, importerUrl: string): URL =>
  new URL(`${name}${fromSource(importerUrl) ? '.ts' : '.js'}`, importerUrl);

/** A thread that runs the module `name` beside the caller's (`import.meta.url`); `name` has no extension. */
export function startThread(name: string, importerUrl: string, options: WorkerOptions): Worker {
  const module = besides(name, importerUrl);
  if (!fromSource(importerUrl)) return new Worker(module, options);
  return new Worker(new URL('./thread-from-source.mjs', import.meta.url), { ...options, argv: [module.href] });
}

/**
 * Resolves when the thread has ended, which `request` asks it to do. Not terminated: a call of SQLite's that comes back to a thread which is
 * being terminated ends the whole process.
 */
export async function endThread<Request>(worker: Worker, request: Request): Promise<void> {
  const ended = new Promise((resolve) => worker.once('exit', resolve));
  worker.postMessage(request);
  if (worker.threadId !== -1) await ended;
}

/** A tenth of the weight of a thread that answers requests, where both want the same core. */
const NICE = 10;

const CALLING = 0;

/** The calling thread gives way to those that answer requests. On Linux alone has a thread a priority of its own. Never throws. */
export function givesWay(): void {
  if (process.platform === 'linux') lower(CALLING);
}

/**
 * The same for all threads of the process, those that Node started too. One that starts later has the priority of the thread that starts
 * it. Never throws.
 */
export function processGivesWay(): void {
  if (process.platform !== 'linux') return;
  for (const thread of threadsOfProcess()) lower(thread);
}

/** A thread that gives way already, for example after `nice -n 15`, stays as it is: only few users may raise a priority. */
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
    return [CALLING]; // a system that does not show its processes
  }
}

const fromSource = (url: string): boolean => url.endsWith('.ts');
