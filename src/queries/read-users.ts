// Users of the dashboard as its pages show them: one by its stream, which is always the newest; the users of an account
// by the read model.
import type { AccountEvent } from '../domain/account/events.ts';
import type { Account } from '../domain/account/state.ts';
import type { UserEvent } from '../domain/user/events.ts';
import type { ExistingUser, User } from '../domain/user/state.ts';
import type { Streams } from '../journal/streams.ts';
import { users as userModel } from '../projections/models/users.ts';
import type { ReadModels } from '../stores/read-models.ts';

/** A user and the name of the account. */
export interface ReadUser {
  readonly userId: string;
  readonly user: ExistingUser;
  readonly accountName: string;
}

export interface UserStreams {
  readonly accounts: Streams<Account, AccountEvent>;
  readonly users: Streams<User, UserEvent>;
}

/** Undefined for an unknown user. Throws StoreUnavailable. */
export const readUser =
  ({ accounts, users }: UserStreams) =>
  async (userId: string): Promise<ReadUser | undefined> => {
    const { state: user } = await users.current(userId);
    if (user.status === 'absent') return undefined;
    const { state: account } = await accounts.current(user.accountId);
    return { userId, user, accountName: account.status === 'absent' ? '' : account.name };
  };

/** Accounts have few users; a page shows them all. */
const MOST = 1_000;

/** The users of the account, disabled ones too. */
export const usersOfAccount =
  (readModels: Pick<ReadModels, 'find'>) =>
  async (accountId: string): Promise<readonly { readonly userId: string; readonly user: ExistingUser }[]> => {
    const rows = await readModels.find(userModel, { where: { accountId: [accountId] }, limit: MOST });
    return rows.flatMap(({ id, doc }) => (doc.status === 'absent' ? [] : [{ userId: id, user: doc }]));
  };
