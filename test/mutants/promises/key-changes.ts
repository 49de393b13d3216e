// Faults against "API key changes take effect immediately".
import { faultsOf } from './fault.ts';

export const KEY_CHANGES = faultsOf('API key changes take effect immediately', [
  {
    name: 'a revoked key is taken',
    file: 'src/domain/api-key.ts',
    find: "key.status === 'active' && (key.expiresAt",
    replace: "key.status !== 'absent' && (key.expiresAt",
  },
  {
    name: 'an expired key is taken',
    file: 'src/domain/api-key.ts',
    find: '(key.expiresAt === undefined || at < key.expiresAt);',
    replace: '(key.expiresAt === undefined || at > 0);',
  },
  {
    name: 'the secret before a rotation is honoured for ever',
    file: 'src/domain/api-key.ts',
    find: 'key.previous !== undefined && at < key.previous.expiresAt',
    replace: 'key.previous !== undefined',
  },
  {
    name: 'a revoked path of webhooks is taken',
    file: 'src/domain/api-key.ts',
    find: 'one.processor === processor && one.revokedAt === undefined ?',
    replace: 'one.processor === processor ?',
  },
  {
    name: 'a document of a key that somebody changed is believed',
    file: 'src/commands/access/recorded-keys.ts',
    find: 'return isSameKey(state, found.doc) ? found : undefined;',
    replace: 'return found;',
  },
  {
    name: 'a key that was compared once is compared never again',
    file: 'src/commands/access/recorded-keys.ts',
    find: 'return this.#world.monotonic() - at < HOLDS_MS;',
    replace: 'return this.#world.monotonic() - at < HOLDS_MS * 100_000;',
  },
  {
    name: 'a change of a key takes effect a second later',
    file: 'src/commands/access/recorded-keys.ts',
    find: 'return held !== undefined && held.doc === found?.doc && this.#isFresh(held) ? held.doc : undefined;',
    replace: 'return held !== undefined && this.#isFresh(held) ? held.doc : undefined;',
  },
  {
    name: 'a key without the scope of an operation is admitted',
    file: 'src/http/middleware/authenticate.ts',
    find: "    if ('keyId' in holder && !holder.scopes.has(scope)) return sendRefusal(ctx, lacksScope, model);\n",
    replace: '',
  },
  {
    name: 'MongoDB: a known key is read from a server that may be older',
    file: 'src/stores/mongodb/newest-reads.ts',
    find: 'const row = await (isKnown ? newest.get(id) : this.#inTurn(id));',
    replace: 'const row = isKnown ? (await gathered.get([id]))[0] : await this.#inTurn(id);',
  },
]);
