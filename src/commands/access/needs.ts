// The functions that commands on accounts and API keys need.
import type { Account, AccountEvent } from '../../domain/account.ts';
import type { ApiKey, ApiKeyEvent } from '../../domain/api-key.ts';
import type { Streams } from '../../journal/streams.ts';
import type { Secrets, StoreKey } from '../../secrets.ts';
import type { ManageNeeds } from '../idempotency.ts';
import type { ClientTokens } from '../sessions/client-tokens.ts';
import type { UserHolder } from './user-holder.ts';

export interface KeyDocument {
  readonly revision: number;
  readonly doc: ApiKey;
}

/**
 * The read model of keys. Both answer the current state, written on any node; `peek` only a state that is kept parsed.
 */
export interface KeyDocuments {
  peek(keyId: string): KeyDocument | undefined;
  read(keyId: string): Promise<KeyDocument | undefined>;
}

export interface KeyUses {
  /** Called for every accepted key, and must be cheap; `at`: ms. */
  used(keyId: string, at: number): void;
}

export interface AccessNeeds extends ManageNeeds {
  readonly accounts: Streams<Account, AccountEvent>;
  readonly apiKeys: Streams<ApiKey, ApiKeyEvent>;
  readonly secrets: Secrets;
  readonly storeKey: StoreKey;
  /** The part of a key's text that distinguishes the keys of test and live mode. */
  readonly mode: 'test' | 'live';
  readonly tokens: ClientTokens;
  readonly report: (fault: unknown) => void;
  /** True if there is any account yet. Throws StoreUnavailable. */
  readonly hasAccounts: () => Promise<boolean>;
  /** True if users of the account may change what concerns the whole store. Throws StoreUnavailable. */
  readonly operatesStore: (accountId: string) => Promise<boolean>;
  /** The read model of keys. */
  readonly keyDocuments: KeyDocuments;
  readonly keyUses: KeyUses;
  /** The user of a session's cookie (commands/users). */
  readonly userOf: (cookie: string, isUse: boolean) => Promise<UserHolder | undefined>;
}
