// The caller of a request: an API key or a client token. A change to a key takes effect on its next request, on every
// node.
import { type ApiKey, honouredHashes, honouredWebhooks, isUsable } from '../../domain/api-key.ts';
import { MANAGEMENT } from '../../domain/scopes.ts';
import { boundedCache } from '../../journal/bounded-cache.ts';
import { parseApiKey } from './api-key-text.ts';
import type { AccessNeeds, KeyUses } from './needs.ts';
import type { UserHolder } from './user-holder.ts';
import { parseWebhookToken } from './webhook-token.ts';

export interface KeyHolder {
  readonly accountId: string;
  readonly keyId: string;
  /** `management` alone for a management key. */
  readonly scopes: ReadonlySet<string>;
}
export interface SessionHolder {
  readonly accountId: string;
  readonly sessionId: string;
}

/**
 * Key texts whose secret's hash a process remembers: hashing is the dear part, the key's document is read every time.
 */
const CACHED_KEYS = 10_000;
const MANAGEMENT_ALONE: ReadonlySet<string> = new Set([MANAGEMENT]);

interface Hashed {
  readonly keyId: string;
  /** Under each master secret. */
  readonly hashes: readonly string[];
  /** The secret stands for the key in the paths of this processor alone; undefined: it is the key's own. */
  readonly processor?: string;
}

/** Both answer the current state, written on any node; `peek` only a state that is known without waiting. */
export interface KeyReader {
  peek(keyId: string): ApiKey | undefined;
  read(keyId: string): Promise<ApiKey | undefined>;
}

export class Authentication {
  readonly #needs: Pick<AccessNeeds, 'tokens' | 'secrets' | 'mode'>;
  readonly #keys: KeyReader;
  readonly #uses: KeyUses;
  /**
   * The user of a session's cookie, see sessionHolder; undefined for a missing, malformed, ended and expired one alike.
   * Rejects with StoreUnavailable.
   */
  readonly user: (cookie: string, isUse: boolean) => Promise<UserHolder | undefined>;
  /** True if users of the account may change what concerns the whole store. Throws StoreUnavailable. */
  readonly operatesStore: (accountId: string) => Promise<boolean>;
  readonly #hashed = boundedCache<Hashed>(CACHED_KEYS);
  readonly #scopes = new WeakMap<readonly string[], ReadonlySet<string>>();

  constructor(
    needs: Pick<AccessNeeds, 'tokens' | 'secrets' | 'mode' | 'userOf' | 'operatesStore'>,
    keys: KeyReader,
    uses: KeyUses,
  ) {
    this.#needs = needs;
    this.user = needs.userOf;
    this.operatesStore = needs.operatesStore;
    this.#keys = keys;
    this.#uses = uses;
  }

  /** The holder; undefined for missing, malformed, unknown, expired and revoked alike (contract §2: no oracle). */
  apiKey(text: string, at: number): KeyHolder | undefined | Promise<KeyHolder | undefined> {
    const hashed = this.#hashed.get(text) ?? this.#hash(text);
    return hashed && this.#judged(hashed, at);
  }

  /** The holder of the key that a path of POST /webhooks/{processor} stands for; a revoked key's paths end with it. */
  webhookToken(processor: string, text: string, at: number): KeyHolder | undefined | Promise<KeyHolder | undefined> {
    const token = parseWebhookToken(text);
    if (token === undefined) return undefined;
    const hashes = this.#needs.secrets.signatures('webhook-token', token.secret);
    return this.#judged({ keyId: token.keyId, hashes, processor }, at);
  }

  #judged(hashed: Hashed, at: number): KeyHolder | undefined | Promise<KeyHolder | undefined> {
    const known = this.#keys.peek(hashed.keyId);
    return known === undefined
      ? this.#keys.read(hashed.keyId).then((key) => key && this.#holder(hashed, key, at))
      : this.#holder(hashed, known, at);
  }

  #holder({ keyId, hashes, processor }: Hashed, key: ApiKey, at: number): KeyHolder | undefined {
    if (!isUsable(key, at)) return undefined;
    const honoured = processor === undefined ? honouredHashes(key, at) : honouredWebhooks(key, processor, at);
    if (!hashes.some((hash) => honoured.includes(hash))) return undefined;
    this.#uses.used(keyId, at);
    const scopes = key.purpose === 'management' ? MANAGEMENT_ALONE : this.#scopesOf(key.scopes);
    return { accountId: key.accountId, keyId, scopes };
  }

  /** The session of a client token that has not expired; its existence is the command's to check. */
  clientToken(text: string, at: number): SessionHolder | undefined {
    const claims = this.#needs.tokens.read(text);
    return claims === undefined || claims.expiresAt <= at
      ? undefined
      : { accountId: claims.accountId, sessionId: claims.sessionId };
  }

  // The compared texts are keyed hashes, so a comparison that stops early reveals nothing about a secret.
  #hash(text: string): Hashed | undefined {
    const parsed = parseApiKey(text);
    if (parsed === undefined || parsed.env !== this.#needs.mode) return undefined;
    const hashes = this.#needs.secrets.signatures('api-key-hash', parsed.secret);
    const hashed = { keyId: parsed.keyId, hashes };
    this.#hashed.set(text, hashed);
    return hashed;
  }

  #scopesOf(scopes: readonly string[]): ReadonlySet<string> {
    const known = this.#scopes.get(scopes);
    if (known !== undefined) return known;
    const made = new Set(scopes);
    this.#scopes.set(scopes, made);
    return made;
  }
}
