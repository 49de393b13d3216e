// Users of the dashboard as its pages show them: by the streams themselves, which are always the newest.
import type { AccountEvent } from '../domain/account/events.ts';
import type { Account } from '../domain/account/state.ts';
import type { UserEvent } from '../domain/user/events.ts';
import type { Role } from '../domain/user/roles.ts';
import type { User } from '../domain/user/state.ts';
import type { Streams } from '../journal/streams.ts';

export interface UserView {
  readonly userId: string;
  readonly email: string;
  readonly role: Role;
  readonly accountId: string;
  readonly accountName: string;
}

export interface UserStreams {
  readonly accounts: Streams<Account, AccountEvent>;
  readonly users: Streams<User, UserEvent>;
}

/** Undefined for an unknown user. Throws StoreUnavailable. */
export const readUser =
  ({ accounts, users }: UserStreams) =>
  async (userId: string): Promise<UserView | undefined> => {
    const { state: user } = await users.current(userId);
    if (user.status === 'absent') return undefined;
    const { email, role, accountId } = user;
    const { state: account } = await accounts.current(accountId);
    return { userId, email, role, accountId, accountName: account.status === 'absent' ? '' : account.name };
  };
