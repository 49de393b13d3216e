// Sign-in and sign-out of the dashboard, and the user who is signed in.
import { z } from 'zod';
import type { UserHolder } from '../../../commands/access/user-holder.ts';
import { contextOf } from '../../../commands/caller.ts';
import type { SignedIn } from '../../../commands/users/sign-in.ts';
import type { Users } from '../../../commands/users/users.ts';
import { ROLES } from '../../../domain/user/roles.ts';
import type { Queries } from '../../../queries/queries.ts';
import { newId, type World } from '../../../world.ts';
import { deviceOf } from '../../checks/device.ts';
import type { SessionCookie } from '../../checks/session-cookie.ts';
import { type Refusal, refuse } from '../../errors.ts';
import { forUsers, found, type HandlerCall, type Reply, type Route, route } from '../../route.ts';

export interface SignInParts {
  readonly users: Users;
  readonly queries: Pick<Queries, 'readUser'>;
  readonly cookie: SessionCookie;
  readonly mode: 'test' | 'live';
  readonly world: World;
}

const Email = z
  .string()
  .trim()
  .max(254)
  .regex(/^[^\s@]+@[^\s@]+$/, { error: 'Must be an e-mail address.' });
const Password = z.string().min(1).max(1_024);
const WelcomeToken = z.string().min(1).max(255);

const Me = z
  .strictObject({
    userId: z.string(),
    email: z.string(),
    role: z.enum(ROLES),
    accountId: z.string(),
    accountName: z.string(),
    mode: z.enum(['test', 'live']),
    sessionId: z.string(),
  })
  .meta({ id: 'Me' });
type Me = z.output<typeof Me>;
const Done = z.strictObject({}).meta({ id: 'Done' });
const Welcome = z.strictObject({ accountName: z.string(), email: z.string().optional() }).meta({ id: 'Welcome' });

const WRONG = refuse('Unauthorized', 'The e-mail or the password is wrong.');
const TAG = 'Sign-in';

/** The user of a call on a route for users. */
export function userOf({ user }: HandlerCall): UserHolder {
  if (user === undefined) throw new TypeError('a route for users was reached without one');
  return user;
}

/** The context of what a user does. */
export const contextOfUser = ({ caller }: HandlerCall, world: World) => contextOf(caller, newId(world, 'op'));

export function signInRoutes({ users, queries, cookie, mode, world }: SignInParts): readonly Route[] {
  const browserOf = ({ caller, headers }: HandlerCall) => ({
    address: caller.address,
    device: deviceOf(headers['user-agent']),
    at: caller.at,
    requestId: caller.requestId,
  });
  const meOf = async (userId: string, sessionId: string): Promise<Me | undefined> => {
    const read = await queries.readUser(userId);
    return read && { ...read, mode, sessionId };
  };
  const signedIn = async ({ userId, sessionId, cookie: value }: SignedIn): Promise<Reply<Me> | Refusal> => {
    const me = await meOf(userId, sessionId);
    return me === undefined ? WRONG : { ...found(me), headers: cookie.set(value) };
  };
  return [
    route({
      method: 'POST',
      path: '/dashboard/api/sign-in',
      scope: 'visitor',
      tag: TAG,
      summary: 'Sign in by e-mail and password',
      request: z.object({ body: z.strictObject({ email: z.string().max(254), password: Password }) }),
      answer: Me,
      errors: ['Unauthorized', 'TooManyRequests'],
      async handle({ body }, call) {
        const done = await users.signIn({ ...body, ...browserOf(call) });
        if (done.kind === 'refused') return WRONG;
        return done.kind === 'rejected' ? done : signedIn(done);
      },
    }),
    route({
      method: 'POST',
      path: '/dashboard/api/welcome/look',
      scope: 'visitor',
      tag: TAG,
      summary: 'Whom a one-time link lets in',
      request: z.object({ body: z.strictObject({ welcomeToken: WelcomeToken }) }),
      answer: Welcome,
      errors: ['NotFound'],
      async handle({ body }) {
        const looked = await users.lookAtLink(body.welcomeToken);
        if (looked.kind === 'rejected') return looked;
        const { accountName, email } = looked;
        return found({ accountName, ...(email !== undefined && { email }) });
      },
    }),
    route({
      method: 'POST',
      path: '/dashboard/api/welcome',
      scope: 'visitor',
      tag: TAG,
      summary: 'Set a password by a one-time link, and sign in',
      request: z.object({ body: z.strictObject({ welcomeToken: WelcomeToken, email: Email.optional(), password: Password }) }),
      answer: Me,
      errors: ['NotFound', 'Conflict'],
      async handle({ body: { welcomeToken: token, ...body } }, call) {
        const done = await users.welcome({ token, ...body, ...browserOf(call) });
        return done.kind === 'rejected' ? done : signedIn(done);
      },
    }),
    route({
      method: 'POST',
      path: '/dashboard/api/sign-out',
      scope: forUsers,
      tag: TAG,
      summary: 'Leave this session',
      request: z.object({}),
      answer: Done,
      async handle(_, call) {
        const { userId, sessionId } = userOf(call);
        const done = await users.signOut(userId, { sessionIds: [sessionId] }, 'left', contextOfUser(call, world));
        return done.kind === 'rejected' ? done : { ...found({}), headers: cookie.clear };
      },
    }),
    route({
      method: 'GET',
      path: '/dashboard/api/me',
      scope: forUsers,
      tag: TAG,
      summary: 'The user who is signed in',
      request: z.object({}),
      answer: Me,
      async handle(_, call) {
        const { userId, sessionId } = userOf(call);
        const me = await meOf(userId, sessionId);
        return me === undefined ? WRONG : found(me);
      },
    }),
    route({
      method: 'POST',
      path: '/dashboard/api/confirm-password',
      scope: forUsers,
      tag: TAG,
      summary: 'Give the password again, for what needs it',
      request: z.object({ body: z.strictObject({ password: Password }) }),
      answer: Done,
      errors: ['Conflict'],
      async handle({ body }, call) {
        const of = { ...userOf(call), address: call.caller.address };
        const done = await users.confirmPassword(of, body.password, contextOfUser(call, world));
        if (done.kind === 'refused') return WRONG_PASSWORD;
        return done.kind === 'rejected' ? done : found({});
      },
    }),
  ];
}

/** Not a 401: the session goes on. */
export const WRONG_PASSWORD = refuse('RequestValidationError', 'The password is wrong.');
