// Wraps the keys of personal data by the newest master secret, so that older ones are no longer needed for them.
import { type Secrets, unwrapped } from '../secrets.ts';
import type { KeyStore, Rewrapping } from '../stores/key-store.ts';
import type { World } from '../world.ts';

export interface RewrapParts {
  readonly store: Pick<KeyStore, 'get' | 'list' | 'rewrap'>;
  readonly secrets: Pick<Secrets, 'keys' | 'wrap'>;
  readonly world: Pick<World, 'randomBytes'>;
  /** The id of the first key (keyStoreIdOf). */
  readonly keyStoreId: string;
  /** The keys so far. */
  readonly onProgress?: (keys: number) => void;
}

export interface Rewrapped {
  /** Keys that exist, destroyed ones left out. */
  readonly keys: number;
  /** Those that this run has wrapped again. */
  readonly rewrapped: number;
  /** Those that none of the secrets opens: they stay as they are. */
  readonly unopened: number;
}

const PAGE = 1_000;

/**
 * May run beside services that have the newest secret, and be repeated: a run after a crash does the rest. The first
 * key goes first, because a process without the newest secret recognizes by it why it opens no key. Throws
 * StoreUnavailable and the signal's reason.
 */
export async function rewrapKeys(
  { store, secrets, world, keyStoreId, onProgress }: RewrapParts,
  signal: AbortSignal,
): Promise<Rewrapped> {
  const wrapping = secrets.keys('personal-key-wrap');
  let [keys, rewrapped, unopened] = [0, 0, 0];
  const rewrap = async (found: Awaited<ReturnType<KeyStore['get']>>): Promise<void> => {
    const changes: Rewrapping[] = [];
    for (const { id, wrapped } of found) {
      if (wrapped === undefined) continue;
      keys += 1;
      const opened = unwrapped(wrapping, wrapped);
      if (opened === undefined) unopened += 1;
      else if (opened.by > 0)
        changes.push({ id, from: wrapped, to: secrets.wrap(opened.key, world, 'personal-key-wrap') });
    }
    if (changes.length > 0) await store.rewrap(changes);
    rewrapped += changes.length;
  };
  await rewrap(await store.get([keyStoreId]));
  for (let after = ''; ; ) {
    signal.throwIfAborted();
    const page = await store.list(after, PAGE);
    await rewrap(page.filter(({ id }) => id !== keyStoreId));
    onProgress?.(keys);
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return { keys, rewrapped, unopened };
    after = last.id;
  }
}
