// "Your account": the user's own sessions, password and second factor.
import { z } from 'zod';
import { ROLES } from '../../../domain/user/roles.ts';
import {
  alsoEnrolling,
  forConfirmed,
  forUsers,
  found,
  foundOr,
  notFound,
  type Route,
  route,
  shaped,
} from '../../route.ts';
import type { ServingParts } from '../parts.ts';
import { afterPassword, contextOfUser, DONE, Done, Password, userOf } from './sign-in.ts';

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

const common = { tag: 'Your account', method: 'POST', scope: OWN_AREA } as const;

export function ownAccountRoutes({ users, queries, cookie, world }: ServingParts): readonly Route[] {
  return [
    route({
      ...common,
      method: 'GET',
      path: '/dashboard/api/me/security',
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
        const factor = {
          isOn: twoFactor !== undefined,
          mustBeOn: users.mustHaveTwoFactor(role),
          recoveryCodesLeft: twoFactor?.recoveryHashes.length ?? 0,
        };
        return found({ email, sessions: listed, twoFactor: factor });
      },
    }),
    route({
      ...common,
      path: '/dashboard/api/account/sessions/:id/end',
      summary: 'End one of the user’s sessions',
      request: z.object({ params: z.object({ id: z.string().max(64) }) }),
      answer: Done,
      async handle({ params: { id } }, call) {
        const { userId } = userOf(call);
        return shaped(
          await users.signOut(userId, { sessionIds: [id] }, 'revoked', contextOfUser(call, world)),
          () => DONE,
        );
      },
    }),
    route({
      ...common,
      path: '/dashboard/api/account/sessions/end-others',
      summary: 'Sign out everywhere else',
      request: z.object({}),
      answer: Done,
      async handle(_, call) {
        const { userId, sessionId } = userOf(call);
        return shaped(
          await users.signOut(userId, { others: sessionId }, 'everywhere', contextOfUser(call, world)),
          () => DONE,
        );
      },
    }),
    route({
      ...common,
      path: '/dashboard/api/account/password',
      summary: 'Change the password and end every other session',
      request: z.object({ body: z.strictObject({ password: Password, newPassword: Password }) }),
      answer: Done,
      errors: ['Conflict'],
      async handle({ body }, call) {
        const user = { ...userOf(call), signal: call.signal };
        return afterPassword(await users.changePassword(user, body, contextOfUser(call, world)), cookie);
      },
    }),
    route({
      ...common,
      path: '/dashboard/api/account/two-factor/offer',
      scope: OWN_AREA_CONFIRMED,
      summary: 'Create a secret for an authenticator app; it takes effect once a code confirms it',
      request: z.object({}),
      answer: TwoFactorOffer,
      errors: ['NotFound'],
      handle: async (_, call) => foundOr(await users.offerTwoFactor(userOf(call).userId), (offered) => offered),
    }),
    route({
      ...common,
      path: '/dashboard/api/account/two-factor',
      scope: OWN_AREA_CONFIRMED,
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
      ...common,
      method: 'DELETE',
      path: '/dashboard/api/account/two-factor',
      scope: forConfirmed(...ROLES),
      summary: 'Turn two-factor sign-in off',
      request: z.object({}),
      answer: Done,
      errors: ['Conflict'],
      handle: async (_, call) =>
        shaped(await users.removeTwoFactor(userOf(call).userId, contextOfUser(call, world)), () => DONE),
    }),
  ];
}
