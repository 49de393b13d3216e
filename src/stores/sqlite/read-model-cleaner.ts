// Rewrites read-model files in a thread, so that neither their free pages nor their WALs hold an earlier document.
import { StoreUnavailable } from '../store-unavailable.ts';
import { startThread } from './file/thread.ts';

export type CleanerAnswer = { readonly kind: 'done' } | { readonly kind: 'fault'; readonly fault: string };

/** Rejects with StoreUnavailable if a file could not be rewritten: others may hold it for too long. */
export async function cleanFiles(files: readonly string[]): Promise<void> {
  const thread = startThread('./read-model-cleaner-worker', import.meta.url, {
    name: 'read-model cleaner',
    workerData: files,
  });
  await new Promise<void>((resolve, reject) => {
    const failed = (why: unknown): void =>
      reject(new StoreUnavailable(`Earlier documents could not be removed: ${String(why)}`, { cause: why }));
    thread.once('message', (answer: CleanerAnswer) => (answer.kind === 'done' ? resolve() : failed(answer.fault)));
    thread.once('error', failed);
    thread.once('exit', (code) => failed(`the thread ended with code ${code}`));
  });
}
