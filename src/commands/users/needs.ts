// The functions that commands on users of the dashboard need.
import type { Account, AccountEvent } from '../../domain/account.ts';
import type { ApiKey, ApiKeyEvent } from '../../domain/api-key.ts';
import type { Email, EmailEvent } from '../../domain/email.ts';
import type { UserEvent } from '../../domain/user/events.ts';
import type { SessionPlace, User } from '../../domain/user/state.ts';
import type { Streams } from '../../journal/streams.ts';
import type { Secrets, StoreKey } from '../../secrets.ts';
import type { ManageNeeds } from '../idempotency.ts';
import type { Passwords } from './passwords.ts';
import type { SignInLimits } from './sign-in-limits.ts';

/** When sessions were used last, on any node; `used` and `seen` are of this process, and cheap. Times in ms. */
interface RecordedUses {
  used(of: SessionPlace, at: number): void;
  seen(of: SessionPlace): number | undefined;
  lastUses(sessions: readonly SessionPlace[]): Promise<ReadonlyMap<string, number>>;
  /** Writes what is new, for the other nodes. */
  write(now: number): Promise<void>;
}

export interface UserNeeds extends ManageNeeds {
  readonly accounts: Streams<Account, AccountEvent>;
  /** What a management key may grant. */
  readonly apiKeys: Streams<ApiKey, ApiKeyEvent>;
  readonly users: Streams<User, UserEvent>;
  readonly emails: Streams<Email, EmailEvent>;
  readonly secrets: Secrets;
  readonly storeKey: StoreKey;
  readonly report: (fault: unknown) => void;
  readonly passwords: Passwords;
  readonly limits: SignInLimits;
  readonly sessionUses: RecordedUses;
  readonly mode: 'test' | 'live';
}
