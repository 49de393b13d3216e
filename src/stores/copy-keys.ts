// Copies the keys of personal data into another key store, before the log that needs them.
import type { KeyStore } from './key-store.ts';

const PAGE = 500;

/** Copies every key and every tombstone; a key that the target has already stays. Answers how many the source has. */
export async function copyKeys(source: KeyStore, target: KeyStore): Promise<number> {
  let count = 0;
  for (let after = ''; ; ) {
    const page = await source.list(after, PAGE);
    for (const { id, wrapped, destroyedAt } of page) {
      if (destroyedAt !== undefined) await target.destroy([id], destroyedAt);
      else if (wrapped !== undefined) await target.putIfAbsent(id, wrapped);
    }
    count += page.length;
    after = page.at(-1)?.id ?? after;
    if (page.length < PAGE) return count;
  }
}
