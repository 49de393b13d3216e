// "Your account": the user's own sessions, password and second factor; and the account's name, for its owners.
import { z } from 'zod';
import type { AccessControl } from '../../../commands/access/access.ts';
import { identifier } from '../../../commands/fields/text.ts';
import { ROLES } from '../../../domain/user/roles.ts';
import { alsoEnrolling, forConfirmed, forRoles, forUsers, found, notFound, type Route, route } from '../../route.ts';
import { afterPassword, contextOfUser, Done, Password, type SignInParts, userOf } from './sign-in.ts';

const TAG = 'Your account';

const OwnAccount = z
  .strictObject({
    email: z.string(),
    sessions: z.array(
      z.strictObject({
        sessionId: z.string(),
        device: z.string(),
        address: z.string(),
        startedAt: z.number().meta({ description: 'ms' }),
        lastUsedAt: z.number().meta({ description: 'ms, to the minute' }),
        expiresAt: z.number().meta({ description: 'ms' }),
        isCurrent: z.boolean(),
      }),
    ),
    twoFactor: z.strictObject({ isOn: z.boolean(), mustBeOn: z.boolean(), recoveryCodesLeft: z.int() }),
  })
  .meta({ id: 'OwnAccount' });
const TwoFactorOffer = z
  .strictObject({
    secret: z.string(),
    uri: z.string().meta({ description: 'otpauth://, for a QR code' }),
    offer: z.string(),
  })
  .meta({ id: 'TwoFactorOffer' });
const RecoveryCodes = z.strictObject({ recoveryCodes: z.array(z.string()) }).meta({ id: 'RecoveryCodes' });

const OWN_AREA = alsoEnrolling(forUsers);
const OWN_AREA_CONFIRMED = alsoEnrolling(forConfirmed(...ROLES));

export function accountRoutes({
  users,
  queries,
  cookie,
  world,
  access,
}: SignInParts & { readonly access: Pick<AccessControl, 'renameAccount'> }): readonly Route[] {
  return [
    route({
      method: 'POST',
      path: '/dashboard/api/account/name',
      scope: forRoles('owner'),
      tag: TAG,
      summary: 'Rename the account',
      request: z.object({ body: z.strictObject({ name: identifier }) }),
      answer: Done,
      async handle({ body: { name } }, { caller }) {
        const done = await access.renameAccount(caller.accountId, name, caller);
        return done.kind === 'rejected' ? done : found({});
      },
    }),
    route({
      method: 'GET',
      path: '/dashboard/api/account',
      scope: OWN_AREA,
      tag: TAG,
      summary: 'Sessions and second factor of the user',
      request: z.object({}),
      answer: OwnAccount,
      async handle(_, call) {
        const { userId, sessionId, role } = userOf(call);
        const read = await queries.readUser(userId);
        if (read === undefined) return notFound();
        const { email, sessions, twoFactor } = read.user;
        const uses = await users.lastUses(
          sessions.map((one) => ({ userId, sessionId: one.sessionId, place: one.place })),
        );
        const listed = sessions.toReversed().map(({ sessionId: id, device, address, startedAt, expiresAt }) => ({
          sessionId: id,
          device,
          address,
          startedAt,
          lastUsedAt: Math.max(startedAt, uses.get(id) ?? 0),
          expiresAt,
          isCurrent: id === sessionId,
        }));
        const mustBeOn = users.mustHaveTwoFactor(role);
        const factor = {
          isOn: twoFactor !== undefined,
          mustBeOn,
          recoveryCodesLeft: twoFactor?.recoveryHashes.length ?? 0,
        };
        return found({ email, sessions: listed, twoFactor: factor });
      },
    }),
    route({
      method: 'POST',
      path: '/dashboard/api/account/sessions/:id/end',
      scope: OWN_AREA,
      tag: TAG,
      summary: 'End one of the user’s sessions',
      request: z.object({ params: z.object({ id: z.string().max(64) }) }),
      answer: Done,
      async handle({ params }, call) {
        const done = await users.signOut(
          userOf(call).userId,
          { sessionIds: [params.id] },
          'revoked',
          contextOfUser(call, world),
        );
        return done.kind === 'rejected' ? done : found({});
      },
    }),
    route({
      method: 'POST',
      path: '/dashboard/api/account/sessions/end-others',
      scope: OWN_AREA,
      tag: TAG,
      summary: 'Sign out everywhere else',
      request: z.object({}),
      answer: Done,
      async handle(_, call) {
        const { userId, sessionId } = userOf(call);
        const done = await users.signOut(userId, { others: sessionId }, 'everywhere', contextOfUser(call, world));
        return done.kind === 'rejected' ? done : found({});
      },
    }),
    route({
      method: 'POST',
      path: '/dashboard/api/account/password',
      scope: OWN_AREA,
      tag: TAG,
      summary: 'Change the password and end every other session',
      request: z.object({ body: z.strictObject({ password: Password, newPassword: Password }) }),
      answer: Done,
      errors: ['Conflict'],
      async handle({ body }, call) {
        return afterPassword(
          await users.changePassword({ ...userOf(call), signal: call.signal }, body, contextOfUser(call, world)),
          cookie,
        );
      },
    }),
    route({
      method: 'POST',
      path: '/dashboard/api/account/two-factor/offer',
      scope: OWN_AREA_CONFIRMED,
      tag: TAG,
      summary: 'Create a secret for an authenticator app; it takes effect once a code confirms it',
      request: z.object({}),
      answer: TwoFactorOffer,
      errors: ['NotFound'],
      async handle(_, call) {
        const offered = await users.offerTwoFactor(userOf(call).userId);
        return offered === undefined ? notFound() : found(offered);
      },
    }),
    route({
      method: 'POST',
      path: '/dashboard/api/account/two-factor',
      scope: OWN_AREA_CONFIRMED,
      tag: TAG,
      summary: 'Turn two-factor sign-in on with a code of the offered secret',
      request: z.object({
        body: z.strictObject({ offer: z.string().min(1).max(1_024), code: z.string().min(1).max(16) }),
      }),
      answer: RecoveryCodes,
      errors: ['Conflict'],
      async handle({ body }, call) {
        const done = await users.setTwoFactor(userOf(call).userId, body, contextOfUser(call, world));
        return done.kind === 'rejected' ? done : found({ recoveryCodes: [...done.recoveryCodes] });
      },
    }),
    route({
      method: 'DELETE',
      path: '/dashboard/api/account/two-factor',
      scope: forConfirmed(...ROLES),
      tag: TAG,
      summary: 'Turn two-factor sign-in off',
      request: z.object({}),
      answer: Done,
      errors: ['Conflict'],
      async handle(_, call) {
        const done = await users.removeTwoFactor(userOf(call).userId, contextOfUser(call, world));
        return done.kind === 'rejected' ? done : found({});
      },
    }),
  ];
}
