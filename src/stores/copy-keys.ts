// Copies the keys of personal data into another key store, before the log that needs them, and compares the two.
import { createHash } from 'node:crypto';
import { AppError } from '../app-error.ts';
import type { KeyStore, WrappedKey } from './key-store.ts';

const PAGE = 500;

/** The keys of a store, tombstones included: how many, and SHA-256 in hex over each of them by id. */
interface KeysDigest {
  readonly count: number;
  readonly digest: string;
}

/** The target lacks a key that was copied, or has another one under its id. */
export class KeysNotCopied extends AppError {
  constructor(id: string) {
    super(
      'KeysNotCopied',
      `The key store of the target does not have the key ${id} of the source: it holds the keys of another store, or it has lost what was written. Use an empty key store.`,
    );
  }
}

/**
 * Copies every key and every tombstone, reads each of them back, and answers what the source has. A key that the target
 * has already stays: it must be the same key, and `isSame` may know that of two that are wrapped differently. Throws
 * KeysNotCopied and StoreUnavailable.
 */
export async function copyKeys(
  source: Pick<KeyStore, 'list'>,
  target: Pick<KeyStore, 'get' | 'putIfAbsent' | 'destroy'>,
  isSame: (one: WrappedKey, other: WrappedKey) => boolean = () => false,
): Promise<KeysDigest> {
  return digestOf(source, async (page) => {
    for (const { id, wrapped, destroyedAt } of page) {
      if (destroyedAt !== undefined) await target.destroy([id], destroyedAt);
      else if (wrapped !== undefined) await target.putIfAbsent(id, wrapped);
    }
    const there = new Map((await target.get(page.map(({ id }) => id))).map((key) => [key.id, key]));
    for (const key of page) {
      const copied = there.get(key.id);
      const isThere = copied !== undefined && (copied.wrapped === undefined || copied.wrapped === key.wrapped);
      if (copied === undefined || !(isThere || isSame(key, copied))) throw new KeysNotCopied(key.id);
    }
  });
}

/** `onPage`: awaited after each page. Throws StoreUnavailable. */
export async function digestOf(
  store: Pick<KeyStore, 'list'>,
  onPage: (page: readonly WrappedKey[]) => Promise<void> = async () => undefined,
): Promise<KeysDigest> {
  const hash = createHash('sha256');
  let count = 0;
  for (let after = ''; ; ) {
    const page = await store.list(after, PAGE);
    if (page.length > 0) await onPage(page);
    for (const { id, wrapped, destroyedAt } of page) hash.update(JSON.stringify([id, wrapped ?? destroyedAt]));
    count += page.length;
    after = page.at(-1)?.id ?? after;
    if (page.length < PAGE) return { count, digest: hash.digest('hex') };
  }
}
