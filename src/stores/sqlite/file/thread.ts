// Starts a worker thread from a module next to the caller's, whether that runs from source or compiled, and ends it.
import { Worker, type WorkerOptions } from 'node:worker_threads';

/**
 * URL of a module next to the caller's, for a thread to load: a `.ts` file when running from source, a `.js` file when
 * compiled. (The compiler rewrites the extension of imports, not of URLs.)
 */
export const besides = (name: string, importerUrl: string): URL =>
  new URL(`${name}${fromSource(importerUrl) ? '.ts' : '.js'}`, importerUrl);

/** A thread that runs the module `name` next to the caller's (`import.meta.url`); `name` has no extension. */
export function startThread(name: string, importerUrl: string, options: WorkerOptions): Worker {
  const module = besides(name, importerUrl);
  if (!fromSource(importerUrl)) return new Worker(module, options);
  return new Worker(new URL('./thread-from-source.mjs', import.meta.url), { ...options, argv: [module.href] });
}

/**
 * Resolves when the thread has ended, which `request` asks it to do. Not terminated: a call of SQLite's that comes back
 * to a thread which is being terminated ends the whole process.
 */
export async function endThread<Request>(worker: Worker, request: Request): Promise<void> {
  const ended = new Promise((resolve) => worker.once('exit', resolve));
  worker.postMessage(request);
  if (worker.threadId !== -1) await ended;
}

const fromSource = (url: string): boolean => url.endsWith('.ts');
