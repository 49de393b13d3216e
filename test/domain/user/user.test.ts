// Users of the dashboard: invited, let in by a link once, signed in and out, disabled; and the owners of an account.
import { expect } from 'chai';
import {
  type AccountEvent,
  account,
  addOwner,
  makeOwnerLink,
  removeOwner,
  useOwnerLink,
} from '../../../src/domain/account.ts';
import {
  acceptLink,
  blockSignIns,
  changePassword,
  changeRole,
  confirmPassword,
  disableUser,
  inviteUser,
  MAX_SESSIONS,
  type NewSession,
  removeTwoFactor,
  resetAccess,
  setTwoFactor,
  signIn,
  signOut,
} from '../../../src/domain/user/decide.ts';
import type { UserEvent } from '../../../src/domain/user/events.ts';
import { faultOfPassword, plainEmail } from '../../../src/domain/user/roles.ts';
import { sessionOf, user } from '../../../src/domain/user/state.ts';
import { givenOf } from '../../support/given.ts';

const given = givenOf(user);
const givenAccount = givenOf(account);

const session = (sessionId: string, at = 1_000): NewSession => ({
  sessionId,
  secretHash: `hash ${sessionId}`,
  at,
  expiresAt: at + 10_000,
  by: 'password',
  address: '203.0.113.7',
  device: 'Firefox on Linux',
});
const invited: UserEvent = {
  type: 'UserInvited',
  data: { accountId: 'acc_1', email: 'ada@example.org', role: 'support' },
};
const linked: UserEvent = { type: 'WelcomeLinkMade', data: { tokenHash: 'token', expiresAt: 5_000 } };
const passworded: UserEvent = { type: 'PasswordSet', data: { passwordHash: 'first', by: 'link' } };
const signedIn = (sessionId: string, at?: number): UserEvent => ({ type: 'SignedIn', data: session(sessionId, at) });
const active = [invited, linked, passworded, signedIn('ses_1')] as const;
const factor: UserEvent = {
  type: 'TwoFactorSet',
  data: { sealedSecret: 'sealed', recoveryHashes: ['one', 'two'], codeStep: 7 },
};

describe('a user', () => {
  const invitation = { accountId: 'acc_1', email: 'ada@example.org', role: 'support' as const };

  it('is invited once, and again after being disabled, without what let the user in before', () => {
    given()
      .when(inviteUser(invitation, { tokenHash: 'token', expiresAt: 5_000 }))
      .then(invited, linked);
    given(invited).when(inviteUser(invitation)).thenRejected('Conflict');
    given(...active, factor, { type: 'UserDisabled', data: {} })
      .when(inviteUser({ ...invitation, role: 'auditor' }))
      .then(
        { type: 'AccessReset', data: {} },
        { type: 'UserEnabled', data: {} },
        { type: 'UserRoleChanged', data: { role: 'auditor' } },
      );
  });

  it('has used a password with the first sign-in by it, and has the next one hashed alike', () => {
    const set = (passwordHash: string): UserEvent => ({ type: 'PasswordSet', data: { passwordHash, by: 'link' } });
    const byLink: UserEvent = { type: 'SignedIn', data: { ...session('ses_0'), by: 'link' } };
    const of = (...events: readonly UserEvent[]) => given(invited, ...events).state;
    const recipe = '$argon2id$v=19$m=8,t=1,p=1$salt';
    expect(of(set(`${recipe}$hash`), byLink)).to.include({ isPasswordUsed: false, passwordRecipe: recipe });
    expect(of(set(`${recipe}$hash`), signedIn('ses_1'))).to.include({ isPasswordUsed: true });
    expect(of(set(`${recipe}$hash`), signedIn('ses_1'), byLink)).to.include({ isPasswordUsed: true });
    expect(of(set('first'), signedIn('ses_1'), set(`${recipe}$once$mac`))).to.include({
      isPasswordUsed: false,
      passwordRecipe: recipe,
    });
    expect(of(set(`${recipe}$hash`), { type: 'AccessReset', data: {} })).to.include({ passwordRecipe: recipe });
  });

  it('is let in by the newest link, once, until it expires', () => {
    const accepted = (tokenHash: string, at: number) =>
      acceptLink({ tokenHashes: [tokenHash], passwordHash: 'first', session: session('ses_1'), at });
    given(invited, linked).when(accepted('token', 4_999)).then(passworded, signedIn('ses_1'));
    given(invited, linked).when(accepted('token', 5_000)).thenRejected('NotFound');
    given(invited, linked).when(accepted('another', 1_000)).thenRejected('NotFound');
    given(...active)
      .when(accepted('token', 1_000))
      .thenRejected('NotFound');
    given(invited, linked, { type: 'WelcomeLinkMade', data: { tokenHash: 'newer', expiresAt: 5_000 } })
      .when(accepted('token', 1_000))
      .thenRejected('NotFound');
    given(invited, linked, { type: 'UserDisabled', data: {} }).when(accepted('token', 1_000)).thenRejected('NotFound');
  });

  it('signs in with the password of now alone, and with the second factor where there is one', () => {
    given(...active)
      .when(signIn('first', session('ses_2')))
      .then(signedIn('ses_2'));
    given(...active, { type: 'PasswordSet', data: { passwordHash: 'second', by: 'change' } })
      .when(signIn('first', session('ses_2')))
      .thenRejected('Conflict');
    given(...active, factor)
      .when(signIn('first', session('ses_2')))
      .thenRejected('Conflict');
    given(...active, factor)
      .when(signIn('first', { ...session('ses_2'), codeStep: 7 }))
      .thenRejected('Conflict'); // replayed
    given(...active, factor)
      .when(signIn('first', { ...session('ses_2'), codeStep: 8 }))
      .then({ type: 'SignedIn', data: { ...session('ses_2'), codeStep: 8 } });
    given(...active, factor)
      .when(signIn('first', session('ses_2'), 'one'))
      .then({ type: 'RecoveryCodeUsed', data: { recoveryHash: 'one' } }, signedIn('ses_2'));
    given(...active, factor, { type: 'RecoveryCodeUsed', data: { recoveryHash: 'one' } })
      .when(signIn('first', session('ses_2'), 'one'))
      .thenRejected('Conflict');
  });

  it('has a bounded number of sessions: the next sign-in ends the oldest', () => {
    const many = Array.from({ length: MAX_SESSIONS }, (_, index) => signedIn(`ses_${index}`));
    given(invited, passworded, ...many)
      .when(signIn('first', session('ses_next')))
      .then({ type: 'SignedOut', data: { sessionIds: ['ses_0'], why: 'too_many' } }, signedIn('ses_next'));
  });

  it('has sessions until they end, expire, or the user is disabled', () => {
    const { state } = given(...active);
    expect(sessionOf(state, 'ses_1', 10_999)).to.include({ sessionId: 'ses_1', place: 0 });
    expect(sessionOf(state, 'ses_1', 11_000)).to.equal(undefined);
    expect(sessionOf(given(...active, { type: 'UserDisabled', data: {} }).state, 'ses_1', 1_001)).to.equal(undefined);
    given(...active, signedIn('ses_2'))
      .when(signOut({ others: 'ses_2' }, 'everywhere'))
      .then({ type: 'SignedOut', data: { sessionIds: ['ses_1'], why: 'everywhere' } });
    given(...active)
      .when(signOut({ sessionIds: ['ses_of_another'] }, 'revoked'))
      .thenRejected('NotFound');
  });

  it('gives the password again for one session, and ends all others by another password', () => {
    given(...active)
      .when(confirmPassword('ses_1', 'first', 2_000))
      .then({ type: 'PasswordConfirmed', data: { sessionId: 'ses_1', at: 2_000 } });
    given(...active)
      .when(confirmPassword('ses_gone', 'first', 2_000))
      .thenRejected('Conflict');
    given(...active, signedIn('ses_2'))
      .when(changePassword('ses_2', { oldHash: 'first', newHash: 'second', at: 2_000 }))
      .then(
        { type: 'PasswordSet', data: { passwordHash: 'second', by: 'change' } },
        { type: 'SignedOut', data: { sessionIds: ['ses_1'], why: 'password' } },
        { type: 'PasswordConfirmed', data: { sessionId: 'ses_2', at: 2_000 } },
      );
  });

  it('of another account is not there', () => {
    for (const decide of [
      disableUser('acc_2'),
      changeRole('acc_2', 'owner'),
      resetAccess('acc_2', { tokenHash: 't', expiresAt: 1 }),
    ])
      given(...active)
        .when(decide)
        .thenRejected('NotFound');
  });

  it('is not changed twice by the same', () => {
    given(...active)
      .when(changeRole('acc_1', 'support'))
      .thenNothing();
    given(...active, { type: 'UserDisabled', data: {} })
      .when(disableUser('acc_1'))
      .thenNothing();
    given(...active)
      .when(removeTwoFactor())
      .thenNothing();
    const blocked: UserEvent = { type: 'SignInsBlocked', data: { failures: 10, until: 9_000 } };
    given(...active, blocked)
      .when(blockSignIns(10, 9_500, 8_999))
      .thenNothing();
    given(...active)
      .when(blockSignIns(10, 9_000, 1_000))
      .then(blocked);
    given(invited)
      .when(setTwoFactor({ sealedSecret: 's', recoveryHashes: [], codeStep: 1 }))
      .thenRejected('Conflict');
  });

  it('is named by the e-mail without its case', () =>
    expect(plainEmail(' Ada@Example.ORG ')).to.equal('ada@example.org'));
});

describe('a password', () => {
  it('is long, and none that guessers try first', () => {
    expect(faultOfPassword('elevenchars', 'ada@example.org')).to.match(/at least 12/);
    expect(faultOfPassword('Ada@Example.org', 'ada@example.org')).to.match(/must not be the e-mail/);
    for (const common of ['PasswordPassword', 'aaaaaaaaaaaaaaa', '123456789012'])
      expect(faultOfPassword(common, 'ada@example.org')).to.match(/most common/);
    expect(faultOfPassword('three quiet words', 'ada@example.org')).to.equal(undefined);
    expect(faultOfPassword('x'.repeat(257), 'ada@example.org')).to.match(/at most/);
  });
});

describe('the owners of an account', () => {
  const created: AccountEvent = { type: 'AccountCreated', data: { name: 'Shop', operator: false } };
  const link: AccountEvent = { type: 'OwnerLinkMade', data: { tokenHash: 'link', expiresAt: 5_000 } };
  const joined = (userId: string): AccountEvent => ({ type: 'OwnerJoined', data: { userId } });
  const first: AccountEvent = { type: 'OwnerJoined', data: { userId: 'usr_1', tokenHash: 'link' } };
  const using = (userId: string, ghosts: readonly string[] = [], at = 1_000) =>
    useOwnerLink({ userId, tokenHashes: ['link'], at, ghosts });

  it('begin with one link, used by one user', () => {
    givenAccount(created)
      .when(makeOwnerLink({ tokenHash: 'link', expiresAt: 5_000 }))
      .then(link);
    givenAccount(created, link).when(using('usr_1')).then(first);
    givenAccount(created, link, first).when(using('usr_1')).thenNothing(); // the process was killed before the password
    givenAccount(created, link, first).when(using('usr_2')).thenRejected('NotFound');
    givenAccount(created, link)
      .when(using('usr_1', [], 5_000))
      .thenRejected('NotFound');
    givenAccount(created, link, joined('usr_2')).when(using('usr_1')).thenRejected('NotFound');
  });

  it('replace one who never signed in', () =>
    givenAccount(created, joined('usr_ghost'), link)
      .when(using('usr_1', ['usr_ghost']))
      .then({ type: 'OwnerLeft', data: { userId: 'usr_ghost' } }, first));

  it('are never none', () => {
    const leaves = (userId: string, others: readonly string[], isActive = true) =>
      removeOwner({ userId, isActive, others });
    const left = { type: 'OwnerLeft', data: { userId: 'usr_1' } } as const;
    const two = [created, joined('usr_1'), joined('usr_2')] as const;
    givenAccount(created, joined('usr_1')).when(leaves('usr_1', [])).thenRejected('Conflict');
    givenAccount(...two)
      .when(leaves('usr_1', ['usr_2']))
      .then(left);
    givenAccount(...two)
      .when(leaves('usr_1', []))
      .thenRejected('Conflict'); // the other is on the list, and no active owner
    givenAccount(created, joined('usr_1'))
      .when(leaves('usr_1', ['usr_2']))
      .thenRejected('Conflict'); // the other is an owner who is leaving
    givenAccount(...two)
      .when(leaves('usr_1', [], false))
      .then(left);
    givenAccount(created, joined('usr_1'))
      .when(leaves('usr_other', [], false))
      .thenNothing();
    givenAccount(created, joined('usr_1')).when(addOwner('usr_1')).thenNothing();
  });
});
