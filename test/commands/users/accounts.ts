// Accounts whose users share an e-mail, on a node of their own.
import { hash } from '@node-rs/argon2';
import { soleUserIdOf } from '../../../src/commands/users/users-of-email.ts';
import type { UserEvent } from '../../../src/domain/user/events.ts';
import type { Role } from '../../../src/domain/user/roles.ts';
import { openStoreStamp } from '../../../src/journal/store-stamp.ts';
import { transact } from '../../../src/journal/transact.ts';
import type { StoreKey } from '../../../src/secrets.ts';
import type { Service, ServiceOptions } from '../../../src/service.ts';
import type { EventStore } from '../../../src/stores/event-store.ts';
import { newId } from '../../../src/world.ts';
import { memoryStores, nodeOn } from '../../support/node.ts';
import { movableWorld } from '../../support/test-world.ts';

export const EMAIL = 'ada@example.org';
export const PASSWORD = 'a long enough passphrase';

type Welcomed = Awaited<ReturnType<Service['users']['welcome']>>;
export type Joined = Extract<Welcomed, { kind: 'signed_in' }>;

/** `events`: another log than one in memory. */
export async function withAccounts(
  names: readonly string[],
  { events, ...options }: Partial<ServiceOptions> & { events?: EventStore } = {},
) {
  const world = movableWorld();
  const stores = { ...(await memoryStores(world)), ...(events !== undefined && { events }) };
  const nodeOptions = { signInLimits: false, ...options };
  const { service, reported } = await nodeOn(stores, nodeOptions);
  const accounts: string[] = [];
  for (const name of names) {
    const made = await service.access.createAccount(name);
    if (made.kind === 'rejected') throw new Error(made.description);
    accounts.push(made.id);
  }
  const request = (address = '127.0.0.1') => ({ address, device: 'a test', at: world.now(), requestId: 'req_test' });
  const invite = async (accountId: string, { email = EMAIL, role = 'owner' as Role, by = service } = {}) => {
    const invited = await by.users.inviteUser({ accountId, email, role }, 'operator');
    if (invited.kind === 'rejected') throw new Error(invited.description);
    return invited;
  };
  const welcome = async (token: string, password = PASSWORD): Promise<Joined> => {
    const done = await service.users.welcome({ token, password, ...request() });
    if (done.kind !== 'signed_in') throw new Error(done.description);
    return done;
  };
  return {
    world,
    stores,
    service,
    reported,
    accounts,
    request,
    invite,
    welcome,
    another: async (): Promise<Service> => (await nodeOn(stores, nodeOptions)).service,
    join: async (accountId: string, password = PASSWORD, more: Parameters<typeof invite>[1] = {}): Promise<Joined> =>
      welcome((await invite(accountId, more)).token, password),
    signIn: (
      password: string,
      {
        address = '127.0.0.1',
        by = service,
        ...more
      }: { address?: string; by?: Service; email?: string; code?: string; accountId?: string } = {},
    ) => by.users.signIn({ email: EMAIL, password, ...request(address), ...more }),
    context: (accountId: string, userId: string) => ({
      accountId,
      actor: { kind: 'user' as const, id: userId },
      at: world.now(),
      correlationId: 'req_test',
      operationId: newId(world, 'op'),
    }),
  };
}

export type Accounts = Awaited<ReturnType<typeof withAccounts>>;

/**
 * A user of the first account as a version recorded it whose e-mails had one user each: an id of the e-mail alone, a
 * hash with its own salt.
 */
export async function oldUser({ stores, service, accounts, request, context }: Accounts, password?: string) {
  const accountId = accounts[0] ?? '';
  const storeKey: StoreKey = await openStoreStamp(stores.events, stores.world, stores.secrets, 'test', () => undefined);
  const userId = soleUserIdOf(storeKey, EMAIL);
  const secret = Buffer.from(storeKey.fingerprint('password-pepper', ''), 'hex');
  const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1, secret };
  const invited: UserEvent = { type: 'UserInvited', data: { accountId, email: EMAIL, role: 'owner' } };
  const set = async (text: string): Promise<UserEvent> => {
    const passwordHash = await hash(text, { ...cost, salt: stores.world.randomBytes(16) });
    return { type: 'PasswordSet', data: { passwordHash, by: 'link' } };
  };
  const events = password === undefined ? [invited] : [invited, await set('a password before'), await set(password)];
  await transact(service.streams.users, userId, context(accountId, userId), () => ({ kind: 'accepted', events }));
  const resetAndSet = async (text: string) => {
    const reset = await service.users.resetUser(accountId, userId, 'operator');
    if (reset.kind === 'rejected') throw new Error(reset.description);
    const done = await service.users.welcome({ token: reset.token, password: text, ...request() });
    if (done.kind === 'rejected') throw new Error(done.description);
  };
  return { userId, accountId, resetAndSet };
}
