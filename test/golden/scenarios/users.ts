// Users of the dashboard, and the owners of an account.
import { accountCategory } from '../../../src/domain/account.ts';
import { emailCategory } from '../../../src/domain/email.ts';
import { userCategory } from '../../../src/domain/user/events.ts';
import { AWKWARD_TEXT, MAX } from './awkward.ts';
import { AT, type Scenario, scenario } from './scenario.ts';

const DAY_MS = 86_400_000;

const session = (sessionId: string, at = AT) => ({
  sessionId,
  secretHash: `hash of ${sessionId}`,
  at,
  expiresAt: at + DAY_MS / 2,
  by: 'password',
  address: '203.0.113.7',
  device: 'Firefox on Linux',
});

export const userScenarios: readonly Scenario[] = [
  scenario(accountCategory, 'acc_owned_2', [
    { type: 'AccountCreated', data: { name: 'Owned', operator: null } },
    ...Array.from({ length: 9 }, (_, index) => ({
      type: 'OwnerLinkMade' as const,
      data: { tokenHash: `link ${index}`, expiresAt: AT + DAY_MS },
    })),
    { type: 'OwnerJoined', data: { userId: 'usr_ada', tokenHash: 'link 8' } },
    { type: 'OwnerJoined', data: { userId: 'usr_ada' } },
    { type: 'OwnerJoined', data: { userId: 'usr_grace' } },
    { type: 'OwnerLeft', data: { userId: 'usr_ada' } },
    { type: 'OwnerLeft', data: { userId: 'usr_nobody' } },
  ]),
  scenario(userCategory, 'usr_golden', [
    { type: 'UserInvited', data: { accountId: 'acc_golden', email: 'ada@example.org', role: 'owner' } },
    { type: 'WelcomeLinkMade', data: { tokenHash: 'first', expiresAt: AT + DAY_MS } },
    { type: 'WelcomeLinkMade', data: { tokenHash: 'second', expiresAt: MAX } },
    { type: 'PasswordSet', data: { passwordHash: '$argon2id$v=19$first', by: 'link' } },
    { type: 'SignedIn', data: { ...session('ses_1'), by: 'link' } },
    { type: 'SignedIn', data: { ...session('ses_2'), device: AWKWARD_TEXT } },
    { type: 'PasswordConfirmed', data: { sessionId: 'ses_2', at: AT + 1 } },
    { type: 'TwoFactorSet', data: { sealedSecret: 'sealed', recoveryHashes: ['one', 'two'], codeStep: 1 } },
    { type: 'SignedOut', data: { sessionIds: ['ses_1', 'ses_that_is_gone'], why: 'left' } },
    { type: 'SignedIn', data: { ...session('ses_3', AT + DAY_MS), codeStep: MAX } },
    { type: 'RecoveryCodeUsed', data: { recoveryHash: 'one' } },
    { type: 'SignInsBlocked', data: { failures: 10, until: AT + 2 * DAY_MS } },
    { type: 'PasswordSet', data: { passwordHash: '$argon2id$v=19$second', by: 'change' } },
    { type: 'UserRoleChanged', data: { role: 'support' } },
    { type: 'TwoFactorRemoved', data: {} },
  ]),
  scenario(userCategory, 'usr_reset', [
    { type: 'UserInvited', data: { accountId: 'acc_golden', email: AWKWARD_TEXT, role: 'a role that is gone' } },
    { type: 'PasswordSet', data: { passwordHash: '', by: 'link' } },
    { type: 'SignedIn', data: session('ses_1') },
    { type: 'AccessReset', data: {} },
    { type: 'WelcomeLinkMade', data: { tokenHash: 'third', expiresAt: 0 } },
    { type: 'UserDisabled', data: {} },
    { type: 'AccessReset', data: {} },
    { type: 'PasswordSet', data: { passwordHash: 'of a disabled user', by: 'link' } },
    { type: 'RecoveryCodeUsed', data: { recoveryHash: 'of no second factor' } },
    { type: 'UserEnabled', data: {} },
  ]),
  scenario(emailCategory, 'e_mail_of_several', [
    { type: 'UserListed', data: { userId: 'usr_golden' } },
    { type: 'UserListed', data: { userId: 'usr_in_another_account' } },
    { type: 'UserListed', data: { userId: AWKWARD_TEXT } },
  ]),
  scenario(userCategory, 'usr_of_one_recipe', [
    { type: 'UserInvited', data: { accountId: 'acc_golden', email: 'grace@example.org', role: 'auditor' } },
    { type: 'PasswordSet', data: { passwordHash: '$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$b25jZQ$mac', by: 'link' } },
    { type: 'SignedIn', data: { ...session('ses_1'), by: 'link' } },
    { type: 'SignedIn', data: session('ses_2') },
    { type: 'AccessReset', data: {} },
    { type: 'PasswordSet', data: { passwordHash: '$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$YWdhaW4$other', by: 'link' } },
  ]),
];
