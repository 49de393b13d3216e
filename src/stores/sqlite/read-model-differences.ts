// Finds where two generations of a read model differ, in a thread: SQLite compares their documents, and only different
// ones become texts.
import type { Differences } from '../read-models.ts';
import { StoreUnavailable } from '../store-unavailable.ts';
import { endThread, startThread } from './file/thread.ts';

export interface DifferencesPlan {
  /** The file of the older generation, and that of the newer one. */
  readonly old: string;
  readonly made: string;
  /** In both files. */
  readonly table: string;
  /** True if each page has the digest of its equal documents. */
  readonly wantsDigest: boolean;
}
export type DifferencesRequest = 'next' | 'end';
/** No page: there are no more. */
export type DifferencesAnswer = { readonly page: Differences | undefined } | { readonly fault: string };

/** See ReadModelStore.differences. One page is in memory. */
export async function* differencesOf(plan: DifferencesPlan): AsyncGenerator<Differences> {
  const worker = startThread('./read-model-differences-worker', import.meta.url, {
    name: 'read-model differences',
    workerData: plan,
  });
  let settle = (_: DifferencesAnswer): void => undefined;
  let fault: string | undefined;
  const died = (why: unknown): void => {
    fault ??= String(why);
    settle({ fault });
  };
  worker.once('error', died);
  worker.once('exit', (code) => died(`its thread ended with code ${code}`));
  worker.on('message', (answer: DifferencesAnswer) => settle(answer));
  const next = (): Promise<DifferencesAnswer> =>
    new Promise((resolve) => {
      settle = resolve;
      const request: DifferencesRequest = 'next';
      if (fault === undefined) worker.postMessage(request);
      else resolve({ fault });
    });
  try {
    for (;;) {
      const answer = await next();
      if ('fault' in answer)
        throw new StoreUnavailable(`${plan.old} and ${plan.made} could not be compared: ${answer.fault}`);
      if (answer.page === undefined) return;
      yield answer.page;
    }
  } finally {
    await endThread<DifferencesRequest>(worker, 'end');
  }
}
