// Wraps the keys of personal data by the newest master secret and binds each to its id, so that neither older secrets
// nor unbound keys are needed any longer.
import { AppError } from '../app-error.ts';
import { type Secrets, unwrapped } from '../secrets.ts';
import type { KeyStore, Rewrapping, WrappedKey } from '../stores/key-store.ts';
import type { World } from '../world.ts';

export interface RewrapParts {
  readonly store: Pick<KeyStore, 'get' | 'list' | 'rewrap'>;
  /** Opens the key store again, only to read, after each step that was written. */
  readonly openAgain: () => Promise<Pick<KeyStore, 'get' | 'close'>>;
  readonly secrets: Pick<Secrets, 'keys' | 'wrap'>;
  readonly world: Pick<World, 'randomBytes'>;
  /** True until the log says that every key is bound: an unbound key may then be that of somebody else. */
  readonly takesUnbound: boolean;
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

/** The key store does not have what was written to it. */
export class KeysNotRewrapped extends AppError {
  constructor(id: string) {
    super(
      'KeysNotRewrapped',
      `The key store does not have the key ${id} as it was wrapped again: look at the disk. Keep the old secret, and a backup of the keys from before this command.`,
    );
  }
}

/**
 * May run beside services that have the newest secret, and be repeated: a run after a crash does the rest. The first
 * key goes first, because a process without the newest secret recognizes by it why it opens no key. What was written is
 * read back and compared with the keys as they were. Throws KeysNotRewrapped, StoreUnavailable and the signal's reason.
 */
export async function rewrapKeys(
  { store, openAgain, secrets, world, keyStoreId, takesUnbound, onProgress }: RewrapParts,
  signal: AbortSignal,
): Promise<Rewrapped> {
  const wrapping = secrets.keys('personal-key-wrap');
  let [keys, rewrapped, unopened] = [0, 0, 0];
  const rewrap = async (found: readonly WrappedKey[]): Promise<void> => {
    const changes: Rewrapping[] = [];
    const wanted = new Map<string, Buffer>();
    for (const { id, wrapped } of found) {
      if (wrapped === undefined) continue;
      keys += 1;
      const bound = unwrapped(wrapping, wrapped, id);
      if (bound?.by === 0) continue;
      const opened = bound ?? (takesUnbound ? unwrapped(wrapping, wrapped) : undefined);
      if (opened === undefined) {
        unopened += 1;
        continue;
      }
      wanted.set(id, opened.key);
      changes.push({ id, from: wrapped, to: secrets.wrap(opened.key, world, 'personal-key-wrap', id) });
    }
    if (changes.length === 0) return;
    await store.rewrap(changes);
    const again = await openAgain();
    await mustHave(again, wanted, wrapping.slice(0, 1)).finally(() => again.close());
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

/** Throws KeysNotRewrapped unless each key is there as it was, wrapped by `wrapping`, or was destroyed since. */
async function mustHave(
  store: Pick<KeyStore, 'get'>,
  wanted: ReadonlyMap<string, Buffer>,
  wrapping: readonly Uint8Array[],
): Promise<void> {
  const there = new Map((await store.get([...wanted.keys()])).map(({ id, wrapped }) => [id, { wrapped }]));
  for (const [id, key] of wanted) {
    const found = there.get(id);
    const isDestroyed = found !== undefined && found.wrapped === undefined;
    const opened = found?.wrapped === undefined ? undefined : unwrapped(wrapping, found.wrapped, id);
    if (!isDestroyed && opened?.key.equals(key) !== true) throw new KeysNotRewrapped(id);
  }
}
