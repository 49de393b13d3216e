// Sign-in and sign-out of the dashboard, and the user who is signed in.
import { z } from 'zod';
import type { UserHolder } from '../../../commands/access/user-holder.ts';
import { type Completed, contextOf } from '../../../commands/caller.ts';
import { identifier } from '../../../commands/fields/text.ts';
import type { WrongPassword } from '../../../commands/users/sessions-of-user.ts';
import type { SignedIn } from '../../../commands/users/sign-in.ts';
import type { Rejection } from '../../../domain/decider.ts';
import { ROLES } from '../../../domain/user/roles.ts';
import type { ExistingUser } from '../../../domain/user/state.ts';
import { unlessUnavailable } from '../../../stores/store-unavailable.ts';
import { newId, type World } from '../../../world.ts';
import { deviceOf, type SessionCookie } from '../../checks/browser.ts';
import { type Refusal, refuse } from '../../errors.ts';
import { alsoEnrolling, forUsers, found, type HandlerCall, type Reply, type Route, route } from '../../route.ts';
import { Email } from '../administration/users.ts';
import type { ServingParts } from '../parts.ts';

export const Password = z.string().min(1).max(1_024);
const WelcomeToken = z.string().min(1).max(255);

const Me = z
  .strictObject({
    userId: z.string(),
    email: z.string(),
    role: z.enum(ROLES),
    accountId: z.string(),
    accountName: z.string(),
    isNamed: z.boolean().meta({ description: 'False until somebody has named the account: customers see no name.' }),
    operatesStore: z.boolean().meta({
      description:
        'True if users of this account may change settings of the whole store, such as its clock and rebuilds.',
    }),
    mode: z.enum(['test', 'live']),
    sessionId: z.string(),
    mustEnrol: z.boolean().meta({ description: 'True if two-factor sign-in must be set up before anything else.' }),
    endsInMs: z.int().min(0).meta({ description: 'The time until the session ends, unless the user is active.' }),
  })
  .meta({ id: 'Me' });
type Me = z.output<typeof Me>;
export const Done = z.strictObject({}).meta({ id: 'Done' });
export const DONE: z.output<typeof Done> = {};
const Welcome = z
  .strictObject({
    shopName: z.string().optional().meta({ description: 'Absent while nobody has named the account.' }),
    email: z.string().optional(),
    isFirstOwner: z.boolean().meta({ description: 'True if the user may name the account.' }),
  })
  .meta({ id: 'Welcome' });

const Code = z.string().min(1).max(32);
const AccountChoice = z.strictObject({ accountId: z.string(), accountName: z.string() }).meta({ id: 'AccountChoice' });
/**
 * Without `user`: the password is right, and a code of the user's app is asked as well, or which of the accounts is
 * meant.
 */
const SignInAnswer = z
  .strictObject({
    user: Me.optional(),
    needs: z.enum(['code', 'account']).optional(),
    accounts: z.array(AccountChoice).readonly().optional().meta({
      description: 'With `needs: account`: the accounts with a user who has this e-mail address and password.',
    }),
  })
  .meta({ id: 'SignInAnswer' });

const CODE_NEEDED: Reply<z.output<typeof SignInAnswer>> = found({ needs: 'code' });
const WRONG_CODE = refuse('Unauthorized', 'The code is wrong or was already used.');
const WRONG = refuse('Unauthorized', 'The e-mail address or the password is wrong.');
const common = { tag: 'Sign-in', method: 'POST' } as const;

/** The user of a call on a route for users. */
export function userOf({ user }: HandlerCall): UserHolder {
  if (user === undefined) throw new TypeError('a route for users was reached without one');
  return user;
}

/** The context of what a user does. */
export const contextOfUser = ({ caller }: HandlerCall, world: World) => contextOf(caller, newId(world, 'op'));

export function signInRoutes({ users, queries, cookie, mode, world }: ServingParts): readonly Route[] {
  const browserOf = ({ caller, headers, signal }: HandlerCall) => ({
    signal,
    address: caller.address,
    device: deviceOf(headers['user-agent']),
    at: caller.at,
    requestId: caller.requestId,
  });
  const meOf = async (userId: string, sessionId: string): Promise<Me | undefined> => {
    const read = await queries.readUser(userId);
    if (read === undefined) return undefined;
    const { email, role, accountId, twoFactor, sessions } = read.user;
    const session = sessions.find((one) => one.sessionId === sessionId);
    return (
      session && {
        userId,
        email,
        role,
        accountId,
        accountName: read.accountName,
        isNamed: read.isNamed,
        // while the read models are being built, too; the routes themselves ask again
        operatesStore: await queries.operatesStore(accountId).catch(unlessUnavailable(false)),
        mode,
        sessionId,
        mustEnrol: twoFactor === undefined && users.mustHaveTwoFactor(role),
        endsInMs: await users.endsInMs(userId, session),
      }
    );
  };
  const signedIn = async ({ userId, sessionId, cookie: value }: SignedIn): Promise<Reply<Me> | Refusal> => {
    const me = await meOf(userId, sessionId);
    return me === undefined ? WRONG : { ...found(me), headers: cookie.set(value) };
  };
  return [
    route({
      ...common,
      path: '/dashboard/api/sign-in',
      scope: 'visitor',
      summary: 'Sign in with e-mail address and password; with `accountId` if users of several accounts share both',
      request: z.object({
        body: z.strictObject({
          email: z.string().max(254),
          password: Password,
          accountId: z.string().min(1).max(64).optional(),
          code: Code.optional(),
          recoveryCode: Code.optional(),
        }),
      }),
      answer: SignInAnswer,
      errors: ['Unauthorized', 'TooManyRequests'],
      async handle({ body }, call) {
        const done = await users.signIn({ ...body, ...browserOf(call) });
        switch (done.kind) {
          case 'signed_in': {
            const reply = await signedIn(done);
            return reply.kind === 'rejected' ? reply : { ...reply, body: { user: reply.body } };
          }
          case 'account_needed': {
            const accounts = done.accounts.map(({ accountId, name }) => ({ accountId, accountName: name }));
            return found<z.output<typeof SignInAnswer>>({ needs: 'account', accounts });
          }
          case 'code_needed':
            return CODE_NEEDED;
          case 'code_refused':
            return WRONG_CODE;
          case 'refused':
            return WRONG;
          default:
            return done;
        }
      },
    }),
    route({
      ...common,
      path: '/dashboard/api/welcome/look',
      scope: 'visitor',
      summary: 'Read the user of a one-time link',
      request: z.object({ body: z.strictObject({ welcomeToken: WelcomeToken }) }),
      answer: Welcome,
      errors: ['NotFound'],
      async handle({ body }) {
        const looked = await users.lookAtLink(body.welcomeToken);
        if (looked.kind === 'rejected') return looked;
        const { shopName, email, isFirstOwner } = looked;
        return found({ shopName, email, isFirstOwner });
      },
    }),
    route({
      ...common,
      path: '/dashboard/api/welcome',
      scope: 'visitor',
      summary: 'Set a password by a one-time link, and sign in',
      request: z.object({
        body: z.strictObject({
          welcomeToken: WelcomeToken,
          email: Email.optional(),
          shopName: identifier.optional(),
          password: Password,
        }),
      }),
      answer: Me,
      errors: ['NotFound', 'Conflict'],
      async handle({ body: { welcomeToken: token, ...body } }, call) {
        const done = await users.welcome({ token, ...body, ...browserOf(call) });
        return done.kind === 'rejected' ? done : signedIn(done);
      },
    }),
    route({
      ...common,
      path: '/dashboard/api/sign-out',
      scope: alsoEnrolling(forUsers),
      summary: 'Sign out of this session',
      request: z.object({}),
      answer: Done,
      async handle(_, call) {
        const { userId, sessionId } = userOf(call);
        const done = await users.signOut(userId, { sessionIds: [sessionId] }, 'left', contextOfUser(call, world));
        return done.kind === 'rejected' ? done : { ...found(DONE), headers: cookie.clear };
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/dashboard/api/me',
      scope: alsoEnrolling(forUsers),
      summary: 'Read the signed-in user',
      request: z.object({}),
      answer: Me,
      async handle(_, call) {
        const { userId, sessionId } = userOf(call);
        const me = await meOf(userId, sessionId);
        return me === undefined ? WRONG : found(me);
      },
    }),
    route({
      ...common,
      path: '/dashboard/api/confirm-password',
      scope: alsoEnrolling(forUsers),
      summary: 'Confirm the password for actions that require it',
      request: z.object({ body: z.strictObject({ password: Password }) }),
      answer: Done,
      errors: ['Conflict'],
      async handle({ body }, call) {
        const user = { ...userOf(call), signal: call.signal };
        return afterPassword(await users.confirmPassword(user, body.password, contextOfUser(call, world)), cookie);
      },
    }),
  ];
}

/** Not a 401: the session goes on. */
const WRONG_PASSWORD = refuse('RequestValidationError', 'The password is wrong.');
const TOO_OFTEN = 'Too many wrong passwords: this session has ended. Sign in again.';

/** The answer of a call that gave the password in a session. */
export function afterPassword(
  done: Completed<ExistingUser> | Rejection | WrongPassword,
  { clear }: SessionCookie,
): Reply<z.output<typeof Done>> | Refusal {
  switch (done.kind) {
    case 'completed':
      return found({});
    case 'refused':
      return WRONG_PASSWORD;
    case 'ended':
      return refuse('Unauthorized', TOO_OFTEN, { headers: clear });
    default:
      return done;
  }
}
