// A user whose record is broken in the log: the other users of the e-mail sign in, and nobody learns anything about
// that one.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { z } from 'zod';
import type { UserEvent } from '../../../src/domain/user/events.ts';
import { operatorContext } from '../../../src/journal/contexts.ts';
import { transact } from '../../../src/journal/transact.ts';
import { alterLog } from '../../support/altered-log.ts';
import { type Dashboard, openDashboard, PASSWORD, signedInUser } from '../../support/dashboard.ts';
import { until } from '../../support/until.ts';

const EMAIL = 'ada@example.org';
const Tried = z.looseObject({
  user: z.looseObject({ userId: z.string() }).optional(),
  error: z.looseObject({ description: z.string() }).optional(),
});
const DAMAGED = /^The record of a resource that this request needs is damaged/;

describe('an e-mail with users in two accounts, one of them with a broken record', () => {
  let dir: string;
  let dashboard: Dashboard;
  let other: string;
  let whole: string;
  let broken: string;
  let alone: string;
  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'counterfoil-broken-users-'));
    dashboard = await openDashboard({ dir });
    ({ other, whole, broken, alone } = await twoUsers(dashboard));
    await dashboard.close();
    for (const userId of [broken, alone])
      await alterLog(join(dir, 'events.db'), `user-${userId}`, { kind: 'deleted', n: 1 });
    dashboard = await openDashboard({ dir });
  });
  after(async () => {
    await dashboard.close();
    await rm(dir, { recursive: true });
  });

  it('signs in to the other account, without a choice, and the record is named', async () => {
    expect(await tryIn(dashboard, { email: EMAIL, password: PASSWORD })).to.deep.equal({
      status: 200,
      userId: whole,
      hashes: 1,
    });
    expect(await tryIn(dashboard, { email: EMAIL, password: PASSWORD, accountId: other })).to.include({
      status: 200,
      userId: whole,
    });
    await until(() => dashboard.service.readiness().degraded.includes(`user-${broken}`));
  });

  it('answers a wrong password, and the right one of the broken user, as for an e-mail that nobody has', async () => {
    const unknown = await tryIn(dashboard, { email: 'nobody@example.org', password: PASSWORD });
    expect(unknown).to.include({ status: 401, hashes: 1 });
    expect(await tryIn(dashboard, { email: EMAIL, password: 'not the password' })).to.deep.equal(unknown);
    expect(await tryIn(dashboard, { email: EMAIL, password: OWN })).to.deep.equal(unknown);
  });

  it('is 503 where nobody but the broken user can be meant, after the hash of every other answer', async () => {
    for (const [tried, stream] of [
      [{ email: EMAIL, accountId: dashboard.accountId }, broken],
      [{ email: 'alone@example.org' }, alone],
    ] as const) {
      const right = await tryIn(dashboard, { ...tried, password: OWN });
      expect(right).to.include({ status: 503, hashes: 1 });
      expect(right.description).to.match(DAMAGED);
      expect(await tryIn(dashboard, { ...tried, password: 'not the password' })).to.deep.equal(right);
      await until(() => dashboard.service.readiness().degraded.includes(`user-${stream}`));
    }
  });
});

describe('an e-mail with users in two accounts, one with a password that no hash can be compared with', () => {
  let dashboard: Dashboard;
  before(async () => {
    dashboard = await openDashboard();
  });
  after(() => dashboard.close());

  for (const [what, recipe] of [
    ['less memory than argon2 takes', '$argon2id$v=19$m=7,t=1,p=1$c2FsdHNhbHRzYWx0'],
    ['a shorter salt than argon2 takes', '$argon2id$v=19$m=19456,t=2,p=1$c2FsdA'],
    ['more lanes than memory for them', '$argon2id$v=19$m=19456,t=2,p=4000$c2FsdHNhbHRzYWx0'],
    ['more memory than the service has', '$argon2id$v=19$m=4294967295,t=2,p=1$c2FsdHNhbHRzYWx0'],
  ] as const)
    it(`signs in to the other account after one hash, and refuses it as a wrong password: ${what}`, async () => {
      const { whole, broken } = await twoUsers(
        dashboard,
        `${recipe.length}.${recipe.at(-1)}.${what.length}@example.org`,
      );
      const { accountId, service } = dashboard;
      const { state } = await service.streams.users.current(broken);
      const email = state.status === 'absent' ? '' : state.email;
      const set: UserEvent = { type: 'PasswordSet', data: { passwordHash: `${recipe}$aGFzaA`, by: 'link' } };
      const context = operatorContext(service.world, accountId);
      await transact(service.streams.users, broken, context, () => ({ kind: 'accepted', events: [set] }));
      expect(await tryIn(dashboard, { email, password: PASSWORD })).to.deep.equal({
        status: 200,
        userId: whole,
        hashes: 1,
      });
      const unknown = await tryIn(dashboard, { email: 'nobody@example.org', password: OWN });
      expect(await tryIn(dashboard, { email, password: OWN })).to.deep.equal(unknown);
      expect(await tryIn(dashboard, { email, password: OWN, accountId })).to.deep.equal(unknown);
    });
});

/**
 * The password of the users whose record is broken later, which differs from that of the others with the e-mail
 * address.
 */
const OWN = 'a passphrase of its own';

/**
 * One in an account of their own, and one in the first account with another password; and a user who is the only one of
 * an e-mail.
 */
async function twoUsers({ service, accountId }: Dashboard, email = EMAIL) {
  const made = await service.access.createAccount('Another');
  if (made.kind === 'rejected') throw new Error(made.description);
  const { userId: broken } = await signedInUser(service, accountId, 'auditor', email, OWN);
  const { userId: alone } = await signedInUser(
    service,
    accountId,
    'auditor',
    `alone${email.slice(email.indexOf('@'))}`,
    OWN,
  );
  const { userId: whole } = await signedInUser(service, made.id, 'owner', email);
  return { other: made.id, whole, broken, alone };
}

/** The response, and the number of hashes for it. */
async function tryIn({ url, service }: Dashboard, body: object) {
  const before = service.users.passwordsVerified();
  const answer = await fetch(`${url}/dashboard/api/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-csrf': '1' },
    body: JSON.stringify(body),
  });
  const { user, error } = Tried.parse(await answer.json());
  return {
    status: answer.status,
    hashes: service.users.passwordsVerified() - before,
    ...(user !== undefined && { userId: user.userId }),
    ...(error !== undefined && { description: error.description }),
  };
}
