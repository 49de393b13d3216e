// Accounts whose users share an e-mail, on a node of their own.
import type { Role } from '../../../src/domain/user/roles.ts';
import type { Service, ServiceOptions } from '../../../src/service.ts';
import { newId } from '../../../src/world.ts';
import { memoryStores, nodeOn } from '../../support/node.ts';
import { movableWorld } from '../../support/test-world.ts';

export const EMAIL = 'ada@example.org';
export const PASSWORD = 'a long enough passphrase';

type Welcomed = Awaited<ReturnType<Service['users']['welcome']>>;
export type Joined = Extract<Welcomed, { kind: 'signed_in' }>;

export async function withAccounts(names: readonly string[], options: Partial<ServiceOptions> = {}) {
  const world = movableWorld();
  const stores = await memoryStores(world);
  const nodeOptions = { signInLimits: false, ...options };
  const { service } = await nodeOn(stores, nodeOptions);
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
