// The bindings of a second factor: the user to whom it was offered, the user for whom it is sealed, and the minute of
// its code.
import { expect } from 'chai';
import { Secret, TOTP } from 'otpauth';
import { setTwoFactor } from '../../../src/domain/user/decide.ts';
import { transact } from '../../../src/journal/transact.ts';
import { newId } from '../../../src/world.ts';
import { memoryStores, nodeOn } from '../../support/node.ts';
import { movableWorld } from '../../support/test-world.ts';

const PASSWORD = 'a long enough passphrase';
const STEP_MS = 30_000;
const codeOf = (secret: string, at: number): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: at });

describe('a second factor', () => {
  const opened = async () => {
    const world = movableWorld();
    const { service } = await nodeOn(await memoryStores(world), { signInLimits: false });
    const made = await service.access.createAccount('Shop');
    if (made.kind === 'rejected') throw new Error(made.description);
    const { id: accountId } = made;
    const request = { address: '127.0.0.1', device: 'a test', at: world.now(), requestId: 'req_test' };
    const context = (userId: string) => ({
      accountId,
      actor: { kind: 'user' as const, id: userId },
      at: world.now(),
      correlationId: 'req_test',
      operationId: newId(world, 'op'),
    });
    const join = async (email: string): Promise<string> => {
      const invited = await service.users.inviteUser({ accountId, email, role: 'developer' }, 'operator');
      if (invited.kind === 'rejected') throw new Error(invited.description);
      const done = await service.users.welcome({ token: invited.token, password: PASSWORD, ...request });
      if (done.kind !== 'signed_in') throw new Error(done.kind);
      return done.userId;
    };
    const offer = async (userId: string) => {
      const offered = await service.users.offerTwoFactor(userId);
      if (offered === undefined) throw new Error('nothing was offered');
      return offered;
    };
    const set = (userId: string, of: { readonly offer: string; readonly secret: string }, at: number) =>
      service.users.setTwoFactor(userId, { offer: of.offer, code: codeOf(of.secret, at) }, context(userId));
    return { world, service, request, context, join, offer, set };
  };

  it('is not set by the offer that another user got', async () => {
    const { world, join, offer, set } = await opened();
    const [ada, bob] = [await join('ada@example.org'), await join('bob@example.org')];
    const offered = await offer(ada);
    expect(await set(bob, offered, world.now())).to.include({ kind: 'rejected', errorId: 'RequestValidationError' });
    expect(await set(ada, offered, world.now())).to.include({ kind: 'set' });
  });

  it('is proven by the code of this half minute or of one beside it, and of none further away', async () => {
    const { world, join, offer, set } = await opened();
    const ada = await join('ada@example.org');
    const offered = await offer(ada);
    for (const steps of [-3, -2, 2, 3])
      expect(await set(ada, offered, world.now() + steps * STEP_MS), `${steps} steps`).to.include({ kind: 'rejected' });
    expect(await set(ada, offered, world.now() - STEP_MS)).to.include({ kind: 'set' });
  });

  it('that is sealed for one user lets no other user in', async () => {
    const { world, service, request, context, join, offer, set } = await opened();
    const [ada, bob] = [await join('ada@example.org'), await join('bob@example.org')];
    const offered = await offer(ada);
    expect(await set(ada, offered, world.now())).to.include({ kind: 'set' });
    const { users } = service.streams;
    const { state } = await users.current(ada);
    const sealedSecret = state.status === 'absent' ? undefined : state.twoFactor?.sealedSecret;
    if (sealedSecret === undefined) throw new Error('nothing is set');
    // As if it were copied into the other user's stream.
    const copied = setTwoFactor({ sealedSecret, recoveryHashes: [], codeStep: 0 }, undefined);
    expect(await transact(users, bob, context(bob), copied)).to.include({ kind: 'written' });
    world.pass(2 * STEP_MS);
    const signIn = (email: string) =>
      service.users.signIn({ ...request, email, password: PASSWORD, code: codeOf(offered.secret, world.now()) });
    expect(await signIn('bob@example.org')).to.deep.equal({ kind: 'code_refused' });
  });
});
