// The users whom an e-mail has in several accounts: the choice after the password, races of invitations, and users of
// earlier versions.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EventStoreDBClient } from '@eventstore/db-client';
import { expect } from 'chai';
import { Secret, TOTP } from 'otpauth';
import { FAILURES } from '../../../src/commands/users/sign-in-limits.ts';
import { MOST_LISTED } from '../../../src/domain/email.ts';
import type { UserEvent } from '../../../src/domain/user/events.ts';
import { transact } from '../../../src/journal/transact.ts';
import { BrokenStream } from '../../../src/stores/broken-stream.ts';
import { openEventStoreDb } from '../../../src/stores/eventstoredb/event-store.ts';
import { StoreUnavailable } from '../../../src/stores/store-unavailable.ts';
import { PATIENT } from '../../stores/patient-timings.ts';
import { calmWorld } from '../../support/calm-world.ts';
import { openEventStoreDbLoopback } from '../../support/eventstoredb-loopback/eventstoredb-loopback.ts';
import { EMAIL, oldUser, PASSWORD, withAccounts } from './accounts.ts';

describe('users of one e-mail in several accounts', () => {
  it('choose after the password where it is the same in both, and are not asked where it is not', async () => {
    const { accounts, join, signIn } = await withAccounts(['Zebra shop', 'Apple shop', 'Third shop']);
    const [zebra = '', apple = '', third = ''] = accounts;
    const first = await join(zebra);
    await join(apple);
    const other = await join(third, 'another long passphrase');
    expect(await signIn(PASSWORD)).to.deep.equal({
      kind: 'account_needed',
      accounts: [
        { accountId: apple, name: 'Apple shop' },
        { accountId: zebra, name: 'Zebra shop' },
      ],
    });
    expect(await signIn(PASSWORD, { accountId: zebra })).to.include({ kind: 'signed_in', userId: first.userId });
    expect(await signIn('another long passphrase')).to.include({ kind: 'signed_in', userId: other.userId });
    for (const accountId of [third, 'acc_of_nobody'])
      expect(await signIn(PASSWORD, { accountId })).to.deep.equal({ kind: 'refused' });
  });

  it('give the second factor of the account that they chose, and of no other', async () => {
    const { world, service, accounts, join, signIn, context } = await withAccounts(['Shop', 'Other shop']);
    const [own = '', other = ''] = accounts;
    const { userId } = await join(own);
    await join(other);
    const offered = await service.users.offerTwoFactor(userId);
    if (offered === undefined) throw new Error('nothing was offered');
    const codeNow = () => new TOTP({ secret: Secret.fromBase32(offered.secret) }).generate({ timestamp: world.now() });
    await service.users.setTwoFactor(userId, { offer: offered.offer, code: codeNow() }, context(own, userId));
    world.pass(60_000);
    expect(await signIn(PASSWORD)).to.include({ kind: 'account_needed' });
    // which code is whose is not guessed
    expect(await signIn(PASSWORD, { code: codeNow() })).to.include({ kind: 'account_needed' });
    expect(await signIn(PASSWORD, { accountId: own })).to.deep.equal({ kind: 'code_needed' });
    expect(await signIn(PASSWORD, { accountId: own, code: '000000x' })).to.deep.equal({ kind: 'code_refused' });
    expect(await signIn(PASSWORD, { accountId: own, code: codeNow() })).to.include({ kind: 'signed_in', userId });
    expect(await signIn(PASSWORD, { accountId: other })).to.include({ kind: 'signed_in' });
  });

  it('are both invited by two accounts at once, on two nodes, and by each account once', async () => {
    const of = await withAccounts(['Shop', 'Other shop']);
    const { service, accounts, welcome, signIn, another } = of;
    const node = await another();
    const invitation = (accountId: string) => ({ accountId, email: EMAIL, role: 'owner' as const });
    const done = await Promise.all(
      accounts.flatMap((accountId) =>
        [service, node].map((by) => by.users.inviteUser(invitation(accountId), 'operator')),
      ),
    );
    const invited = done.flatMap((one) => (one.kind === 'completed' ? [one] : []));
    expect(invited.map(({ doc }) => doc.accountId).toSorted()).to.deep.equal(accounts.toSorted());
    expect(done.flatMap((one) => (one.kind === 'rejected' ? [one.errorId] : []))).to.deep.equal([
      'Conflict',
      'Conflict',
    ]);
    for (const { token } of invited) await welcome(token);
    expect(await signIn(PASSWORD, { by: node }))
      .to.have.property('accounts')
      .with.length(2);
  });

  it('are found when a process died between e-mail and invitation, and its invitation was asked again', async () => {
    const { stores, service, accounts, invite, welcome, signIn, another } = await withAccounts(['Shop']);
    const { events } = stores;
    const { append } = events;
    events.append = async (stream, ...rest) => {
      if (stream.startsWith('user-')) throw new Error('the process died');
      return append.call(events, stream, ...rest);
    };
    const died = await service.users
      .inviteUser({ accountId: accounts[0] ?? '', email: EMAIL, role: 'owner' }, 'operator')
      .catch(String);
    expect(died).to.equal('Error: the process died');
    events.append = append;
    const by = await another();
    expect(await signIn(PASSWORD, { by })).to.deep.equal({ kind: 'refused' });
    await welcome((await invite(accounts[0] ?? '', { by })).token);
    expect(await signIn(PASSWORD, { by })).to.include({ kind: 'signed_in' });
  });

  it('are the first owner of another account, too', async () => {
    const { service, accounts, join, signIn, request } = await withAccounts(['Shop', 'New shop']);
    const [own = '', newer = ''] = accounts;
    const { userId } = await join(own);
    const link = await service.users.makeOwnerLink(newer);
    if (link.kind === 'rejected') throw new Error(link.description);
    const owner = await service.users.welcome({ token: link.token, email: EMAIL, password: PASSWORD, ...request() });
    expect(owner).to.include({ kind: 'signed_in' }).and.not.include({ userId });
    expect(await signIn(PASSWORD)).to.have.nested.property('accounts.length', 2);
    expect((await service.streams.accounts.current(own)).state).to.have.deep.property('owners', [userId]);
  });

  it('sign in while no read model can be read, and wait for none', async () => {
    const { stores, accounts, join, signIn, another } = await withAccounts(['Shop', 'Other shop']);
    for (const accountId of accounts) await join(accountId);
    const by = await another();
    const { readModels } = stores;
    let asked = 0;
    const away = async (): Promise<never> => {
      asked += 1;
      throw new StoreUnavailable('no read model answers');
    };
    Object.assign(readModels, { get: away, find: away });
    expect(await signIn(PASSWORD, { by })).to.have.nested.property('accounts.length', 2);
    expect(await signIn(PASSWORD, { by, accountId: accounts[1] ?? '' })).to.include({ kind: 'signed_in' });
    expect(await signIn(PASSWORD, { by, email: 'nobody@example.org' })).to.deep.equal({ kind: 'refused' });
    expect(asked).to.equal(0);
  });

  it('are not blocked by tries of which none was made, because the store was unavailable', async () => {
    const { stores, accounts, join, signIn } = await withAccounts(['Shop'], { signInLimits: true });
    const { userId } = await join(accounts[0] ?? '');
    const { events } = stores;
    const { read } = events;
    for (const category of ['user-', 'email-']) {
      events.read = (stream, ...rest) => {
        if (stream.startsWith(category)) throw new StoreUnavailable('no event is read');
        return read.call(events, stream, ...rest);
      };
      for (let tries = 0; tries < FAILURES.emailAtAddress; tries += 1)
        expect(await signIn(PASSWORD).catch((fault: unknown) => fault)).to.be.instanceOf(StoreUnavailable);
      events.read = read;
      expect(await signIn(PASSWORD), category).to.include({ kind: 'signed_in', userId });
    }
  });

  it('sign in although the password of one of them was hashed in a way that nobody knows, which is reported', async () => {
    const of = await withAccounts(['Shop', 'Other shop', 'Third shop']);
    const [old = '', other = '', third = ''] = of.accounts;
    const sole = await oldUser(of, PASSWORD);
    const broken = await of.join(other);
    const { userId } = await of.join(third);
    const spoil = async (accountId: string, id: string): Promise<void> => {
      const set: UserEvent = { type: 'PasswordSet', data: { passwordHash: '$argon2x$v=1$m=1$salt$hash', by: 'link' } };
      await transact(of.service.streams.users, id, of.context(accountId, id), () => ({
        kind: 'accepted',
        events: [set],
      }));
    };
    await spoil(other, broken.userId);
    expect(await of.signIn(PASSWORD)).to.have.nested.property('accounts.length', 2);
    expect(await of.signIn(PASSWORD, { accountId: other })).to.deep.equal({ kind: 'refused' });
    await spoil(old, sole.userId); // whose recipe was that of the e-mail
    expect(await of.signIn(PASSWORD)).to.include({ kind: 'signed_in', userId });
    for (const id of [broken.userId, sole.userId])
      expect(of.reported.map(String).join()).to.contain(`the password of ${id} was hashed`);
    await sole.resetAndSet(PASSWORD);
    expect(await of.signIn(PASSWORD)).to.have.nested.property('accounts.length', 2);
  });

  it('sign in although EventStoreDB has lost one of them, and the answer for that one is a fault where no other can be meant', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'counterfoil-lost-users-'));
    const server = await openEventStoreDbLoopback({ directory });
    const client = EventStoreDBClient.connectionString(server.url);
    const events = await openEventStoreDb({
      url: server.url,
      world: calmWorld,
      report: () => undefined,
      timings: PATIENT,
    });
    try {
      const { accounts, service, join: joined, signIn } = await withAccounts(['Shop', 'Other shop'], { events });
      const [own = '', other = ''] = accounts;
      const lost = await joined(own, 'another long passphrase');
      const { userId } = await joined(other);
      await client.tombstoneStream(`user-${lost.userId}`);
      const before = service.users.passwordsVerified();
      expect(await signIn(PASSWORD)).to.include({ kind: 'signed_in', userId });
      expect(await signIn('another long passphrase')).to.deep.equal({ kind: 'refused' });
      const found = await signIn(PASSWORD, { accountId: own }).catch((fault: unknown) => fault);
      expect(found)
        .to.be.instanceOf(BrokenStream)
        .and.include({ stream: `user-${lost.userId}` });
      expect(service.users.passwordsVerified() - before).to.equal(3);
    } finally {
      await events.close();
      await client.dispose();
      await server.kill();
      await rm(directory, { recursive: true });
    }
  });

  it(`name their account after the first ${MOST_LISTED}`, async () => {
    const names = Array.from({ length: MOST_LISTED + 1 }, (_, at) => `Account ${at}`);
    const { accounts, invite, join, signIn } = await withAccounts(names);
    const last = accounts.at(-1) ?? '';
    for (const accountId of accounts.slice(0, -1)) await invite(accountId);
    const { userId } = await join(last);
    expect(await signIn(PASSWORD)).to.deep.equal({ kind: 'refused' });
    expect(await signIn(PASSWORD, { accountId: last })).to.include({ kind: 'signed_in', userId });
  });
});

describe('a user of a version whose e-mails had one user each', () => {
  it('keeps the id, signs in as before, and is one of two when another account invites the e-mail', async () => {
    const of = await withAccounts(['Shop', 'Other shop']);
    const { userId, accountId } = await oldUser(of, PASSWORD);
    const { service, accounts, invite, join, signIn } = of;
    expect(await signIn(PASSWORD)).to.include({ kind: 'signed_in', userId });
    expect(await service.users.inviteUser({ accountId, email: EMAIL, role: 'auditor' }, 'operator')).to.include({
      errorId: 'Conflict',
    });
    await join(accounts[1] ?? '');
    expect(await signIn(PASSWORD)).to.have.nested.property('accounts.length', 2);
    expect(await signIn(PASSWORD, { accountId })).to.include({ kind: 'signed_in', userId });
    await join(accountId, PASSWORD, { email: 'eve@example.org' });
    await service.users.disableUser(accountId, userId, 'operator');
    expect((await invite(accountId)).id).to.equal(userId);
  });

  it('shares one hash with the others, even after passwords were changed, removed and set again on either side', async () => {
    const of = await withAccounts(['Shop', 'Other shop']);
    const { service, accounts, join, signIn, context } = of;
    const { userId, accountId, resetAndSet } = await oldUser(of, PASSWORD);
    const other = await join(accounts[1] ?? '', PASSWORD);
    const choices = async (password: string): Promise<number> => {
      const before = service.users.passwordsVerified();
      const done = await signIn(password);
      expect(service.users.passwordsVerified() - before).to.equal(1);
      return done.kind === 'account_needed' ? done.accounts.length : Number(done.kind === 'signed_in');
    };
    expect(await choices(PASSWORD)).to.equal(2);
    await service.users.resetUser(accountId, userId, 'operator');
    expect(await choices(PASSWORD)).to.equal(1);
    await resetAndSet(`${PASSWORD}, again`);
    const changed = { password: PASSWORD, newPassword: `${PASSWORD}, again` };
    await service.users.changePassword(other, changed, context(accounts[1] ?? '', other.userId));
    expect(await choices(changed.newPassword)).to.equal(2);
  });

  it('who was invited, and has no password yet, shares it too', async () => {
    const of = await withAccounts(['Shop', 'Other shop']);
    const { resetAndSet } = await oldUser(of);
    await of.join(of.accounts[1] ?? '');
    await resetAndSet(PASSWORD);
    const before = of.service.users.passwordsVerified();
    expect(await of.signIn(PASSWORD)).to.have.nested.property('accounts.length', 2);
    expect(of.service.users.passwordsVerified() - before).to.equal(1);
  });

  it('keeps out none of the others, who had its recipe, where its stream or its recipe cannot be read; each hash is one', async () => {
    const of = await withAccounts(['Shop', 'Other shop', 'New shop']);
    const { stores, service, accounts, invite, join: joined, context } = of;
    const sole = await oldUser(of, 'another long passphrase');
    const other = await joined(accounts[1] ?? '');
    const hashes = async (password: string, accountId?: string, by = service): Promise<readonly [unknown, number]> => {
      const verified = by.users.passwordsVerified();
      const done = await of
        .signIn(password, { by, ...(accountId !== undefined && { accountId }) })
        .catch((fault: Error) => fault);
      const how = done instanceof Error ? done.name : done.kind === 'signed_in' ? done.userId : done.kind;
      return [how, by.users.passwordsVerified() - verified];
    };
    const spoilt: UserEvent = {
      type: 'PasswordSet',
      data: { passwordHash: '$argon2id$v=19$m=7,t=1,p=1$c2FsdHNhbHRzYWx0$hash', by: 'link' },
    };
    await transact(service.streams.users, sole.userId, context(sole.accountId, sole.userId), () => ({
      kind: 'accepted',
      events: [spoilt],
    }));
    expect(await hashes(PASSWORD)).to.deep.equal([other.userId, 1]);
    expect(await hashes('another long passphrase', sole.accountId)).to.deep.equal(['refused', 1]);

    const { token } = await invite(accounts[2] ?? '');
    const { events } = stores;
    const { read } = events;
    events.read = (stream, ...rest) => {
      if (stream === `user-${sole.userId}`)
        throw new BrokenStream({ stream, revision: 0, position: '0', type: '' }, 'all is lost');
      return read.call(events, stream, ...rest);
    };
    const by = await of.another();
    expect(await hashes(PASSWORD, undefined, by)).to.deep.equal([other.userId, 1]);
    expect(await hashes(PASSWORD, accounts[1], by)).to.deep.equal([other.userId, 1]);
    expect(await hashes('another long passphrase', undefined, by)).to.deep.equal(['refused', 1]);
    expect(await hashes('another long passphrase', sole.accountId, by)).to.deep.equal(['BrokenStream', 1]);
    const welcomed = await by.users.welcome({ token, password: PASSWORD, ...of.request() });
    expect(welcomed).to.include({ kind: 'signed_in' }); // with the recipe of the others
    expect(await hashes(PASSWORD, undefined, by)).to.deep.equal(['account_needed', 1]);
    // Nobody may take the others for all there are.
    expect(await by.users.usersOfEmail(EMAIL).catch((fault: Error) => fault.name)).to.equal('BrokenStream');
    expect(await by.users.usersOfEmail(EMAIL, accounts[1])).to.have.length(1);
  });

  it('is still let in where an earlier version, running beside this one, has given another password a salt of its own', async () => {
    const of = await withAccounts(['Shop', 'Other shop']);
    await of.join(of.accounts[1] ?? '');
    const { userId, accountId } = await oldUser(of, PASSWORD);
    expect(await of.signIn(PASSWORD)).to.have.nested.property('accounts.length', 2);
    expect(await of.signIn(PASSWORD, { accountId })).to.include({ kind: 'signed_in', userId });
  });
});
