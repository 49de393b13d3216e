// The first owner is two streams, the user's and the account's: a process dies before or after its n-th append, for
// every n.
import { expect } from 'chai';
import { defaultTimings } from '../../src/commands/payment-timings.ts';
import { memoryStores, nodeOn } from '../support/node.ts';
import { type MovableWorld, movableWorld } from '../support/test-world.ts';
import { type Dies, Mortal } from './mortal.ts';

const EMAIL = 'ada@example.org';
const PASSWORD = 'a long enough passphrase';

const request = (world: MovableWorld) => ({
  password: PASSWORD,
  shopName: 'Corner shop',
  address: '127.0.0.1',
  device: 'a test',
  at: world.now(),
  requestId: 'req_test',
});

/** False if the work had fewer appends, so that the process did not die. */
async function survives(dies: Dies): Promise<boolean> {
  const world = movableWorld();
  const stores = await memoryStores(world);
  const mortal = new Mortal(stores);
  const first = await mortal.open(defaultTimings);
  const account = await first.access.createAccount('Shop');
  if (account.kind === 'rejected') throw new Error(account.description);
  const link = await first.users.makeOwnerLink(account.id);
  if (link.kind === 'rejected') throw new Error(link.description);
  const { token } = link;
  if (!(await mortal.diesOf(() => first.users.welcome({ token, email: EMAIL, ...request(world) }), dies))) return false;

  // The person tries the same link again. Where it was used up by then, the password is the one that was chosen.
  const { service, reported } = await nodeOn(stores);
  const again = await service.users.welcome({ token, email: EMAIL, ...request(world) });
  const signedIn = again.kind === 'signed_in' ? again : await service.users.signIn({ email: EMAIL, ...request(world) });
  if (signedIn.kind !== 'signed_in') throw new Error(`${dies.when} ${dies.at}: ${JSON.stringify([again, signedIn])}`);
  expect(await service.users.sessionHolder(signedIn.cookie, true)).to.include({ role: 'owner', accountId: account.id });
  const { state } = await service.streams.accounts.current(account.id);
  expect(state).to.have.deep.property('owners', [signedIn.userId]);
  expect(state).to.include({ name: 'Corner shop' });
  // The link is over, for everybody.
  const eve = await service.users.welcome({ token, ...request(world), email: 'eve@example.org' });
  expect(eve).to.include({ kind: 'rejected', errorId: 'NotFound' });
  expect(reported).to.deep.equal([]);
  return true;
}

describe('a process that dies while the first owner joins', () => {
  it('leaves a link or a password that makes one owner, for every append at which it may die', async () => {
    let points = 0;
    for (const when of ['before', 'after'] as const) {
      for (let at = 1; await survives({ at, when }); at += 1) points += 1;
    }
    expect(points).to.be.at.least(8); // the user, the account twice, the password; before and after
  });
});
