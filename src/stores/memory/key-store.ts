// The key store in memory: for unit tests and the simulator; nothing survives.
import type { KeyStore, SeenEnd, WrappedKey } from '../key-store.ts';

export function openMemoryKeyStore(): KeyStore {
  const keys = new Map<string, WrappedKey>();
  let seen: SeenEnd | undefined;
  return {
    async get(ids) {
      return ids.flatMap((id) => keys.get(id) ?? []);
    },
    async putIfAbsent(id, wrapped) {
      const there = keys.get(id) ?? { id, wrapped };
      keys.set(id, there);
      return there;
    },
    async destroy(ids, at) {
      for (const id of ids)
        if (keys.get(id)?.destroyedAt === undefined) keys.set(id, { id, wrapped: undefined, destroyedAt: at });
    },
    async rewrap(changes) {
      for (const { id, from, to } of changes) if (keys.get(id)?.wrapped === from) keys.set(id, { id, wrapped: to });
    },
    async destroyed() {
      return [...keys.values()].filter(({ destroyedAt }) => destroyedAt !== undefined).length;
    },
    async seenEnd() {
      return seen;
    },
    async noteEnd(end) {
      seen = end;
    },
    async list(after, limit) {
      const ids = [...keys.keys()].filter((id) => id > after).sort();
      return ids.slice(0, limit).flatMap((id) => keys.get(id) ?? []);
    },
    async close() {},
  };
}
