// An account keeps an active owner, whatever happens to two of them at the same time, on two nodes.
import { expect } from 'chai';
import { addOwner } from '../../../src/domain/account.ts';
import { operatorContext } from '../../../src/journal/contexts.ts';
import { transact } from '../../../src/journal/transact.ts';
import type { Service } from '../../../src/service.ts';
import type { World } from '../../../src/world.ts';
import { calmWorld } from '../../support/calm-world.ts';
import { memoryStores, nodeOn } from '../../support/node.ts';
import { until } from '../../support/until.ts';

const PASSWORD = 'a long enough passphrase';
const world: World = calmWorld;
const request = { password: PASSWORD, address: '127.0.0.1', device: 'a test', at: world.now(), requestId: 'req_test' };

async function anAccount() {
  const stores = await memoryStores(world);
  const [{ service: one }, { service: other }] = [
    await nodeOn(stores, { mode: 'test' }),
    await nodeOn(stores, { mode: 'test' }),
  ];
  const made = await one.access.createAccount('Shop');
  if (made.kind === 'rejected') throw new Error(made.description);
  const accountId = made.id;
  const join = async (email: string): Promise<string> => {
    const invited = await one.users.inviteUser({ accountId, email, role: 'owner' }, 'operator');
    if (invited.kind === 'rejected') throw new Error(invited.description);
    const done = await one.users.welcome({ token: invited.token, ...request });
    if (done.kind !== 'signed_in') throw new Error(done.description);
    return done.userId;
  };
  const by = (userId: string) => ({
    accountId,
    actor: { kind: 'user' as const, id: userId },
    at: world.now(),
    requestId: 'req_test',
    scopes: new Set<string>(),
    address: '127.0.0.1',
  });
  const [ada, bob] = [await join('ada@example.org'), await join('bob@example.org')];
  const activeOwners = async (service: Service): Promise<number> => {
    const folds = await Promise.all([ada, bob].map((id) => service.streams.users.current(id)));
    return folds.filter(({ state }) => state.status === 'active' && state.role === 'owner').length;
  };
  return { one, other, accountId, ada, bob, by, activeOwners };
}

describe('the owners of an account', () => {
  it('do not get one back who lost the role while signing in', async () => {
    const { one, other, accountId, ada, bob, by, activeOwners } = await anAccount();
    const before = one.users.passwordsVerified();
    const signingIn = one.users.signIn({ email: 'ada@example.org', ...request });
    // the user was read as an owner, and the password takes its time
    await until(() => one.users.passwordsVerified() > before);
    expect(await other.users.changeRole(accountId, ada, 'support', by(bob))).to.include({ kind: 'completed' });
    await signingIn;
    expect((await one.streams.accounts.current(accountId)).state).to.deep.include({ owners: [bob] });
    expect(await other.users.changeRole(accountId, bob, 'auditor', by(bob))).to.include({ errorId: 'Conflict' });
    expect(await activeOwners(other)).to.equal(1);
  });

  it('count by their own streams: a name on the list alone lets nobody leave', async () => {
    const { one, other, accountId, ada, bob, by } = await anAccount();
    await one.users.changeRole(accountId, ada, 'support', by(bob));
    // a process was killed before it gave the role
    await transact(one.streams.accounts, accountId, operatorContext(world, accountId), addOwner(ada));
    expect(await other.users.changeRole(accountId, bob, 'auditor', by(bob))).to.include({ errorId: 'Conflict' });
    expect(await other.users.disableUser(accountId, bob, by(ada))).to.include({ errorId: 'Conflict' });
    expect(await one.users.changeRole(accountId, ada, 'owner', by(bob))).to.include({ kind: 'completed' });
    expect(await other.users.changeRole(accountId, bob, 'auditor', by(bob))).to.include({ kind: 'completed' });
  });

  it('keep one of two who put each other out at the same time, on two nodes', async () => {
    const { one, other, accountId, ada, bob, by, activeOwners } = await anAccount();
    const done = await Promise.all([
      one.users.changeRole(accountId, bob, 'developer', by(ada)),
      other.users.disableUser(accountId, ada, by(bob)),
    ]);
    expect(done.map(({ kind }) => kind)).to.include('rejected');
    expect(await activeOwners(one)).to.equal(1);
  });

  it('are not made by the first owner’s link again, after that user’s access was reset', async () => {
    const { one } = await anAccount();
    const made = await one.access.createAccount('Second shop');
    if (made.kind === 'rejected') throw new Error(made.description);
    const link = await one.users.makeOwnerLink(made.id);
    if (link.kind === 'rejected') throw new Error(link.description);
    const email = 'eve@example.org';
    const done = await one.users.welcome({ token: link.token, email, ...request });
    if (done.kind === 'rejected') throw new Error(done.description);
    await one.users.resetUser(made.id, done.userId, 'operator');
    expect(await one.users.lookAtLink(link.token)).to.include({ errorId: 'NotFound' });
    expect(await one.users.welcome({ token: link.token, email, ...request })).to.include({ errorId: 'NotFound' });
  });
});
