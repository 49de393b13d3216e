// An e-mail that somebody else's account invites: nothing changes for its user, and nobody learns anything by it.
import { expect } from 'chai';
import { FAILURES } from '../../../src/commands/users/sign-in-limits.ts';
import type { Service } from '../../../src/service.ts';
import { BrokenStream } from '../../../src/stores/broken-stream.ts';
import { categoryOf } from '../../../src/stores/stream-name.ts';
import { until } from '../../support/until.ts';
import { type Accounts, EMAIL, oldUser, PASSWORD, withAccounts } from './accounts.ts';

const ANOTHER = 'the password of a squatter';

async function eventsOf({ streams }: Service, userId: string): Promise<readonly string[]> {
  const types: string[] = [];
  for await (const { event } of streams.users.history(userId, -1)) types.push(event.type);
  return types;
}

describe('an e-mail that another account invites', () => {
  it('changes nothing for its user, who signs in exactly as before', async () => {
    const { service, accounts, invite, join, signIn } = await withAccounts(['Shop', 'Squatters']);
    const [own = '', squatters = ''] = accounts;
    const ada = await join(own);
    const before = await eventsOf(service, ada.userId);
    const squatter = await join(squatters, ANOTHER, { role: 'developer' });
    expect(squatter.userId).not.to.equal(ada.userId);
    expect(await eventsOf(service, ada.userId)).to.deep.equal(before);
    expect(await signIn(PASSWORD)).to.include({ kind: 'signed_in', userId: ada.userId });
    expect(await signIn(ANOTHER)).to.include({ kind: 'signed_in', userId: squatter.userId });
    expect(await signIn('the password of nobody')).to.deep.equal({ kind: 'refused' });
    await service.users.disableUser(squatters, squatter.userId, 'operator');
    expect(await signIn(ANOTHER)).to.deep.equal({ kind: 'refused' });
    expect((await invite(squatters, { role: 'developer' })).id).to.equal(squatter.userId);
    expect(await signIn(ANOTHER)).to.deep.equal({ kind: 'refused' });
    expect(await signIn(PASSWORD)).to.include({ kind: 'signed_in', userId: ada.userId });
    expect(await service.users.sessionHolder(ada.cookie, true)).to.include({ accountId: own, role: 'owner' });
  });

  it('is still a Conflict when the same account invites it again', async () => {
    const { service, accounts, join } = await withAccounts(['Shop', 'Squatters']);
    const [own = '', squatters = ''] = accounts;
    await join(own);
    await join(squatters);
    for (const accountId of accounts)
      expect(
        await service.users.inviteUser({ accountId, email: ` ${EMAIL.toUpperCase()}`, role: 'auditor' }, 'operator'),
      ).to.include({
        errorId: 'Conflict',
        description: 'A user with this e-mail address already exists.',
      });
  });

  const made: { readonly [how: string]: (of: Accounts) => Promise<unknown> } = {
    'a user of it': ({ accounts, join }) => join(accounts[0] ?? ''),
    'its user of an earlier version': (of) => oldUser(of, PASSWORD),
  };
  for (const [how, make] of Object.entries(made))
    it(`is answered alike, after the same calls of the stores, whether nobody or another account has ${how}`, async () => {
      const of = await withAccounts(['Shop', 'Squatters']);
      await make(of);
      await expectAlike(of);
    });

  async function expectAlike({ stores, accounts, invite, welcome, signIn }: Accounts): Promise<void> {
    const [, squatters = ''] = accounts;
    await invite(squatters, { email: 'first@example.org' });
    const calls: string[] = [];
    const { events, readModels } = stores;
    const { get, find } = readModels;
    Object.assign(readModels, {
      get: (...[model, ids, ...rest]: Parameters<typeof get>) => {
        if (model.name !== 'catalog') calls.push(`get ${ids.length} of ${model.name}`); // that is looked at each second
        return get.call(readModels, model, ids, ...rest);
      },
      find: (...[model, ...rest]: Parameters<typeof find>) => {
        calls.push(`find in ${model.name}`);
        return find.call(readModels, model, ...rest);
      },
    });
    const { read, append } = events;
    events.read = (stream, ...rest) => {
      calls.push(`read ${categoryOf(stream)}`);
      return read.call(events, stream, ...rest);
    };
    events.append = (stream, revision, appended) => {
      calls.push(`append ${categoryOf(stream)} ${appended.length}`);
      return append.call(events, stream, revision, appended);
    };
    const work = async (email: string) => {
      calls.length = 0;
      const { id, token, doc, ...answer } = await invite(squatters, { email });
      expect(id).to.match(/^usr_[0-9a-f]{32}$/);
      const { link, email: shown, invitedAt, ...its } = doc;
      expect([shown, token.length, link === undefined, invitedAt > 0]).to.deep.equal([email, 80, false, true]);
      const ofInvitation = calls.splice(0);
      expect(await welcome(token, ANOTHER)).to.include({ kind: 'signed_in' });
      const ofLink = calls.splice(0);
      expect(await signIn('the password of nobody', { email })).to.deep.equal({ kind: 'refused' });
      expect(calls.filter((call) => call.startsWith('get') || call.startsWith('find'))).to.deep.equal([]);
      return { answer, its, calls: ofInvitation, ofLink };
    };
    const unknown = await work('nobody@example.org');
    expect(unknown.calls).to.deep.include('append email 1');
    expect(unknown.calls.join()).to.contain('get 1 of users');
    expect(await work(EMAIL)).to.deep.equal(unknown);
  }

  it('is invited in nobody’s place where the log has lost its user of an earlier version', async () => {
    const of = await withAccounts(['Shop', 'Squatters']);
    const { userId } = await oldUser(of, PASSWORD);
    const { events } = of.stores;
    const { read } = events;
    events.read = (stream, ...rest) => read.call(events, stream === `user-${userId}` ? 'user-nobody' : stream, ...rest);
    const by = await of.another();
    for (const accountId of of.accounts) {
      const fault = await of.invite(accountId, { by }).catch((thrown: unknown) => thrown);
      expect(fault).to.be.instanceOf(BrokenStream).and.have.property('stream', `user-${userId}`);
    }
  });

  it('costs one hash at the sign-in and one at the link, whether nobody, one or three accounts know it', async () => {
    const { service, accounts, join, signIn } = await withAccounts(['One', 'Two', 'Three']);
    const hashes = async (email: string): Promise<number> => {
      const before = service.users.passwordsVerified();
      expect(await signIn('the password of nobody', { email })).to.deep.equal({ kind: 'refused' });
      return service.users.passwordsVerified() - before;
    };
    for (const [at, accountId] of accounts.entries()) await join(accountId, `${PASSWORD} ${at}`);
    await join(accounts[0] ?? '', PASSWORD, { email: 'bob@example.org' });
    for (const email of [EMAIL, 'bob@example.org', 'nobody@example.org'])
      expect(await hashes(email), email).to.equal(1);
  });

  it('gives no guesses at the password of its user: a squatter who sets one guess after the other is refused after ten', async () => {
    const { service, accounts, join, signIn, context } = await withAccounts(['Shop', 'Squatters'], {
      signInLimits: true,
    });
    const [own = '', squatters = ''] = accounts;
    await join(own);
    let password = 'the first guess of many';
    const { userId, sessionId } = await join(squatters, password);
    const address = '192.0.2.66';
    const kinds: string[] = [];
    for (let guess = 0; guess <= FAILURES.emailAtAddress; guess += 1) {
      const newPassword = `${PASSWORD} ${guess}`;
      const changed = await service.users.changePassword(
        { userId, sessionId },
        { password, newPassword },
        context(squatters, userId),
      );
      expect(changed).to.include({ kind: 'completed' });
      password = newPassword;
      kinds.push((await signIn(password, { address })).kind);
    }
    expect(kinds).to.deep.equal([...Array.from({ length: FAILURES.emailAtAddress }, () => 'signed_in'), 'rejected']);
    expect(await signIn(PASSWORD)).to.include({ kind: 'signed_in' });
  });

  it('gives an address that squats many no more guesses than a stranger has', async () => {
    const { accounts, join, signIn } = await withAccounts(['Squatters'], { signInLimits: true });
    const address = '192.0.2.66';
    const tried = new Map<string, number>();
    for (let at = 0; at <= FAILURES.address; at += 1) {
      const email = `${at}@example.org`;
      await join(accounts[0] ?? '', ANOTHER, { email, role: 'developer' });
      const { kind } = await signIn(ANOTHER, { email, address });
      tried.set(kind, (tried.get(kind) ?? 0) + 1);
    }
    expect(Object.fromEntries(tried)).to.deep.equal({ signed_in: FAILURES.address, rejected: 1 });
    expect(await signIn(ANOTHER, { email: '0@example.org' })).to.include({ kind: 'signed_in' });
  });

  it('gives no more guesses to a squatter who signs in between two of them', async () => {
    const { accounts, join, signIn } = await withAccounts(['Shop', 'Squatters'], { signInLimits: true });
    const [own = '', squatters = ''] = accounts;
    await join(own);
    await join(squatters, ANOTHER);
    const address = '192.0.2.66';
    expect(await signIn(ANOTHER, { address: '192.0.2.67' })).to.include({ kind: 'signed_in' });
    for (let guess = 0; guess < FAILURES.emailAtAddress - 1; guess += 1) {
      expect(await signIn(`guess number ${guess}`, { address })).to.deep.equal({ kind: 'refused' });
      expect(await signIn(ANOTHER, { address })).to.include({ kind: 'signed_in' });
    }
    expect(await signIn('the last guess', { address })).to.deep.equal({ kind: 'refused' });
    expect(await signIn('one guess more', { address })).to.include({ errorId: 'TooManyRequests' });
    expect(await signIn(ANOTHER, { address })).to.include({ errorId: 'TooManyRequests' });
  });

  it('does not keep its user out, however often the squatter signs in with the squatter’s own password', async () => {
    const { accounts, join, signIn } = await withAccounts(['Shop', 'Squatters'], { signInLimits: true });
    const [own = '', squatters = ''] = accounts;
    const { userId } = await join(own);
    await join(squatters, ANOTHER);
    for (let tries = 0; tries < FAILURES.email + 5; tries += 1)
      expect(await signIn(ANOTHER, { address: `192.0.2.${tries % 200}` })).to.include({ kind: 'signed_in' });
    for (let tries = 0; tries < FAILURES.emailAtAddress + 5; tries += 1)
      expect(await signIn(PASSWORD)).to.include({ userId });
  });

  it('is blocked for all of its users alike after too many failures, which is one event of each', async () => {
    const { service, accounts, join, signIn } = await withAccounts(['Shop', 'Squatters'], { signInLimits: true });
    const ids = [];
    for (const accountId of accounts) ids.push((await join(accountId)).userId);
    for (let tries = 0; tries < FAILURES.emailAtAddress; tries += 1) await signIn('the password of nobody');
    for (const userId of ids)
      await until(
        async () => (await eventsOf(service, userId)).filter((type) => type === 'SignInsBlocked').length === 1,
      );
    for (const accountId of [undefined, ...accounts])
      expect(await signIn(PASSWORD, accountId === undefined ? {} : { accountId })).to.include({
        errorId: 'TooManyRequests',
      });
  });
});
