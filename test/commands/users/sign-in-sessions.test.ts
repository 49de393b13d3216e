// Sign-in sessions on two nodes: the end of one applies to the next request everywhere; idle and absolute expiry; the
// second factor.
import { expect } from 'chai';
import { Secret, TOTP } from 'otpauth';
import { endExpiredSessions } from '../../../src/policies/leave-after-days.ts';
import { runDue } from '../../../src/policies/policy.ts';
import { users } from '../../../src/projections/models/users.ts';
import type { Service } from '../../../src/service.ts';
import { newId, type World } from '../../../src/world.ts';
import { calmWorld } from '../../support/calm-world.ts';
import { memoryStores, nodeOn } from '../../support/node.ts';

const MINUTE_MS = 60_000;
const PASSWORD = 'a long enough passphrase';
const EMAIL = 'ada@example.org';

/** Two nodes on the same stores, whose machines' clock can be moved. */
async function twoNodes(mode: 'test' | 'live' = 'test', signInLimits = false) {
  let aheadMs = 0;
  const world: World = { ...calmWorld, now: () => calmWorld.now() + aheadMs };
  const stores = await memoryStores(world);
  const options = { mode, signInLimits };
  const [{ service: one }, { service: other }] = [await nodeOn(stores, options), await nodeOn(stores, options)];
  const made = await one.access.createAccount('Shop');
  if (made.kind === 'rejected') throw new Error(made.description);
  const accountId = made.id;
  const context = (userId: string) => ({
    accountId,
    actor: { kind: 'user' as const, id: userId },
    at: world.now(),
    correlationId: 'req_test',
    operationId: newId(world, 'op'),
  });
  const caller = (userId: string) => ({
    ...context(userId),
    requestId: 'req_test',
    scopes: new Set<string>(),
    address: '127.0.0.1',
  });
  const request = { address: '127.0.0.1', device: 'a test', at: world.now(), requestId: 'req_test' };
  return {
    one,
    other,
    accountId,
    context,
    caller,
    pass: (ms: number) => {
      aheadMs += ms;
    },
    now: () => world.now(),
    signIn: (
      service: Service,
      more: { code?: string; recoveryCode?: string; password?: string; email?: string; address?: string } = {},
    ) => service.users.signIn({ email: EMAIL, password: PASSWORD, ...request, ...more }),
    async join(role: 'owner' | 'developer') {
      const invited = await one.users.inviteUser({ accountId, email: EMAIL, role }, 'operator');
      if (invited.kind === 'rejected') throw new Error(invited.description);
      const done = await one.users.welcome({ token: invited.token, password: PASSWORD, ...request });
      if (done.kind !== 'signed_in') throw new Error(done.description);
      return done;
    },
  };
}

describe('a sign-in session', () => {
  it('ends after half an hour without a request, and after twelve hours with them; a use on one node counts on the other', async () => {
    const { one, other, pass, join } = await twoNodes();
    const { cookie } = await join('developer');
    for (let at = 0; at < 12 * 60 - 25; at += 25) {
      pass(25 * MINUTE_MS);
      const used = at % 50 === 0 ? one : other;
      expect(await used.users.sessionHolder(cookie, true), `after ${at + 25} minutes`).to.include({
        role: 'developer',
      });
      await used.users.writeSessionUses();
    }
    pass(26 * MINUTE_MS);
    expect(await one.users.sessionHolder(cookie, true)).to.equal(undefined);
  });

  it('that nobody uses is over after half an hour', async () => {
    const { other, pass, join } = await twoNodes();
    const { cookie } = await join('developer');
    pass(29 * MINUTE_MS);
    expect(await other.users.sessionHolder(cookie, true)).to.have.property('isConfirmed', false);
    pass(31 * MINUTE_MS);
    expect(await other.users.sessionHolder(cookie, true)).to.equal(undefined);
  });

  it('is not kept alive by automatic calls of a page, and says when it ends', async () => {
    const { one, pass, join } = await twoNodes();
    const { cookie, userId, sessionId } = await join('developer');
    const endsIn = async (): Promise<number> => {
      const session = (await one.queries.readUser(userId))?.user.sessions.find((its) => its.sessionId === sessionId);
      return session === undefined ? -1 : one.users.endsInMs(userId, session);
    };
    pass(20 * MINUTE_MS);
    expect(await one.users.sessionHolder(cookie, false)).to.include({ role: 'developer' });
    expect(await endsIn()).to.be.closeTo(10 * MINUTE_MS, MINUTE_MS);
    expect(await one.users.sessionHolder(cookie, true)).to.include({ role: 'developer' });
    expect(await endsIn()).to.be.closeTo(30 * MINUTE_MS, MINUTE_MS);
    pass(20 * MINUTE_MS);
    expect(await one.users.sessionHolder(cookie, false)).to.include({ role: 'developer' });
    pass(10 * MINUTE_MS + 1);
    expect(await one.users.sessionHolder(cookie, false)).to.equal(undefined);
    expect(await endsIn()).to.equal(0);
  });

  it('ends with the next request on every node when the user is disabled, and has another role at once', async () => {
    const { one, other, join, accountId, caller } = await twoNodes();
    const { cookie, userId } = await join('developer');
    expect(await other.users.sessionHolder(cookie, true)).to.include({ role: 'developer' });
    await one.users.changeRole(accountId, userId, 'auditor', caller(userId));
    expect(await other.users.sessionHolder(cookie, true)).to.include({ role: 'auditor' });
    await one.users.disableUser(accountId, userId, caller(userId));
    expect(await other.users.sessionHolder(cookie, true)).to.equal(undefined);
  });

  it('is opened by no other secret', async () => {
    const { one, join } = await twoNodes();
    const { cookie } = await join('developer');
    const forged = `${cookie.slice(0, -1)}${cookie.endsWith('A') ? 'B' : 'A'}`;
    expect(await one.users.sessionHolder(forged, true)).to.equal(undefined);
    expect(await one.users.sessionHolder('', true)).to.equal(undefined);
  });
});

describe('a second factor', () => {
  const codeOf = (secret: string, at: number) =>
    new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: at });

  it('is asked after the password, takes a code once, and a recovery code once', async () => {
    const { one, other, join, pass, now, context, signIn } = await twoNodes();
    const { userId } = await join('developer');
    const offered = await one.users.offerTwoFactor(userId);
    if (offered === undefined) throw new Error('nothing was offered');
    const { offer, secret } = offered;
    expect(await one.users.setTwoFactor(userId, { offer, code: '000000x' }, context(userId))).to.include({
      kind: 'rejected',
    });
    const set = await one.users.setTwoFactor(userId, { offer, code: codeOf(secret, now()) }, context(userId));
    if (set.kind === 'rejected') throw new Error(set.description);
    expect(set.recoveryCodes).to.have.length(10);
    expect(await signIn(other)).to.deep.equal({ kind: 'code_needed' });
    // it was used to set it up
    expect(await signIn(other, { code: codeOf(secret, now()) })).to.deep.equal({ kind: 'code_refused' });
    pass(MINUTE_MS);
    const code = codeOf(secret, now());
    expect(await signIn(other, { code })).to.include({ kind: 'signed_in' });
    expect(await signIn(one, { code })).to.deep.equal({ kind: 'code_refused' });
    const [recoveryCode = ''] = set.recoveryCodes;
    expect(await signIn(one, { recoveryCode: recoveryCode.toUpperCase() })).to.include({ kind: 'signed_in' });
    expect(await signIn(other, { recoveryCode })).to.deep.equal({ kind: 'code_refused' });
    expect(await signIn(one, { code, password: 'not the password' })).to.deep.equal({ kind: 'refused' });
  });

  it('is set by an offer once: codes that were used count no second time', async () => {
    const { one, other, join, pass, now, context, signIn } = await twoNodes();
    const { userId } = await join('developer');
    const offered = await one.users.offerTwoFactor(userId);
    if (offered === undefined) throw new Error('nothing was offered');
    const { offer, secret } = offered;
    const proof = { offer, code: codeOf(secret, now()) };
    const both = await Promise.all([one, other].map(({ users }) => users.setTwoFactor(userId, proof, context(userId))));
    expect(both.map(({ kind }) => kind)).to.have.members(['set', 'rejected']);
    pass(MINUTE_MS);
    const code = codeOf(secret, now());
    expect(await signIn(one, { code })).to.include({ kind: 'signed_in' });
    expect(await one.users.setTwoFactor(userId, { offer, code }, context(userId))).to.include({
      errorId: 'RequestValidationError',
    });
    expect(await signIn(other, { code })).to.deep.equal({ kind: 'code_refused' });
  });

  it('must be set up first by owners in live mode', async () => {
    const { one, join, now, context } = await twoNodes('live');
    const { cookie, userId } = await join('owner');
    expect(await one.users.sessionHolder(cookie, true)).to.include({ mustEnrol: true });
    const offered = await one.users.offerTwoFactor(userId);
    if (offered === undefined) throw new Error('nothing was offered');
    await one.users.setTwoFactor(
      userId,
      { offer: offered.offer, code: codeOf(offered.secret, now()) },
      context(userId),
    );
    expect(await one.users.sessionHolder(cookie, true)).to.include({ mustEnrol: false });
    expect(await one.users.removeTwoFactor(userId, context(userId))).to.include({ errorId: 'Conflict' });
  });
});

describe('sign-in sessions that expired', () => {
  it('leave their user after their days and not before, once, on record; a running session stays', async () => {
    const { one, other, join, signIn, pass, now } = await twoNodes();
    const { userId, sessionId } = await join('developer');
    const [first] = (await userOf(one, userId)).sessions;
    if (first === undefined) throw new Error('no session');
    const keptMs = 30 * 24 * 60 * MINUTE_MS;
    pass(first.expiresAt - now() + keptMs - MINUTE_MS);
    const signed = await signIn(one);
    if (signed.kind !== 'signed_in') throw new Error(signed.kind);
    // a sign-in removes earlier sessions, so the second one is watched
    const [second] = (await userOf(one, userId)).sessions;
    if (second === undefined) throw new Error('no session');
    pass(second.expiresAt - now() + keptMs - MINUTE_MS);
    const round = (node: Service): Promise<number> =>
      runDue(endExpiredSessions(node.users, keptMs), node.readModels, node.work);
    expect(await round(one)).to.equal(0);
    expect((await userOf(one, userId)).sessions).to.have.length(1);
    pass(MINUTE_MS);
    await Promise.all([round(one), round(other)]);
    expect((await userOf(one, userId)).sessions).to.deep.equal([]);
    expect(await round(one)).to.equal(0);
    expect(await eventsOf(one, userId, 'SignedOut')).to.deep.equal([
      { sessionIds: [second.sessionId], why: 'expired' },
    ]);
    expect((await eventsOf(one, userId, 'SignedIn')).length).to.equal(2);
    expect(sessionId).to.not.equal(second.sessionId);
    const running = await signIn(one);
    if (running.kind !== 'signed_in') throw new Error(running.kind);
    expect(await round(one)).to.equal(0);
    expect(await one.users.sessionHolder(running.cookie, true)).to.include({ userId });
  });
});

describe('sign-ins that fail', () => {
  it('are refused after ten for an e-mail from an address, known or not, and are one event of the user', async () => {
    const { one, join, signIn } = await twoNodes('test', true);
    const { userId } = await join('developer');
    for (const email of [EMAIL, 'nobody@example.org']) {
      for (let tries = 0; tries < 10; tries += 1)
        expect(await signIn(one, { email, password: 'a wrong password' })).to.deep.equal({ kind: 'refused' });
      expect(await signIn(one, { email, password: 'a wrong password' })).to.include({ errorId: 'TooManyRequests' });
      expect(await signIn(one, { email })).to.include({ errorId: 'TooManyRequests' });
    }
    expect(await signIn(one, { address: '192.0.2.7' })).to.include({ kind: 'signed_in' });
    expect(await eventsOf(one, userId, 'SignInsBlocked')).to.have.length(1);
  });

  it('keep nobody who is signed in from giving the password again', async () => {
    const { one, join, signIn, context } = await twoNodes('test', true);
    const of = await join('developer');
    for (let tries = 0; tries < 10; tries += 1) await signIn(one, { password: 'a wrong password' });
    expect(await one.users.confirmPassword(of, PASSWORD, context(of.userId))).to.include({ kind: 'completed' });
  });
});

describe('wrong passwords in a session', () => {
  it('end it after five, one after the other, and no other session', async () => {
    const { one, other, join, signIn, context } = await twoNodes('test', true);
    const of = await join('developer');
    const second = await signIn(one);
    if (second.kind !== 'signed_in') throw new Error(second.kind);
    const guess = (password: string) => one.users.confirmPassword(of, password, context(of.userId));
    for (let tries = 0; tries < 4; tries += 1)
      expect(await guess('a wrong password')).to.deep.equal({ kind: 'refused' });
    expect(await guess(PASSWORD)).to.include({ kind: 'completed' });
    for (let tries = 0; tries < 4; tries += 1) await guess('a wrong password');
    expect(await guess('a wrong password')).to.deep.equal({ kind: 'ended' });
    expect(await guess(PASSWORD)).to.deep.equal({ kind: 'ended' });
    expect(await other.users.sessionHolder(of.cookie, true)).to.equal(undefined);
    expect(await other.users.sessionHolder(second.cookie, true)).to.include({ role: 'developer' });
    expect(await eventsOf(one, of.userId, 'SignedOut')).to.deep.equal([
      { sessionIds: [of.sessionId], why: 'wrong_passwords' },
    ]);
  });
});

/** The user as the read model has it. */
async function userOf({ readModels }: Service, userId: string) {
  const [row] = await readModels.get(users, [userId]);
  if (row === undefined || row.doc.status === 'absent') throw new Error('no such user');
  return row.doc;
}

async function eventsOf(service: Service, userId: string, type: string): Promise<readonly unknown[]> {
  const found: unknown[] = [];
  for await (const { event } of service.streams.users.history(userId, -1))
    if (event.type === type) found.push(event.data);
  return found;
}
