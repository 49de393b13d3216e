// A service with its dashboard, as `serve` runs it, on a directory of its own: an account, its API key, and a signed-in
// user of each role.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { openLog } from '../../src/cli/log.ts';
import { type Opened, openCounterfoil } from '../../src/cli/open/open.ts';
import { connectSandboxes, firstStart } from '../../src/cli/serve/announce.ts';
import { runService } from '../../src/cli/serve/run-service.ts';
import { type Environment, type Flags, readConfig } from '../../src/config.ts';
import { ROLES, type Role } from '../../src/domain/user/roles.ts';
import type { Route } from '../../src/http/route.ts';
import type { Service } from '../../src/service.ts';

export interface DashboardAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Undefined if the answer is not JSON. */
  readonly body: unknown;
}

/** `anybody`: without a session. */
export type Asker = Role | 'anybody';

export interface Dashboard {
  /** Without a slash at its end. */
  readonly url: string;
  readonly opened: Opened;
  /** Every route that it serves, the API's too. */
  readonly routes: readonly Route[];
  readonly service: Service;
  readonly accountId: string;
  /** An API key of the account with all scopes. */
  readonly key: string;
  readonly userIdOf: (role: Role) => string;
  readonly emailOf: (role: Role) => string;
  /** `counterfoil_session=…`, of a session whose password was given a moment ago. */
  readonly cookieOf: (role: Role) => string;
  /** Asks as the dashboard's pages do: with the cookie, X-Csrf and JSON. */
  readonly ask: (
    role: Asker,
    method: string,
    path: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<DashboardAnswer>;
  readonly close: () => Promise<void>;
}

const Acts = z.object({
  data: z.array(
    z.looseObject({
      type: z.string(),
      actor: z.object({ id: z.string(), email: z.string().optional() }),
      data: z.unknown(),
    }),
  ),
});

/** The acts on the service that the page of events shows, newest first. */
export async function actsOf({
  ask,
}: Pick<Dashboard, 'ask'>): Promise<readonly { type: string; by: string; data: unknown }[]> {
  const { data } = Acts.parse((await ask('auditor', 'GET', '/dashboard/api/events?category=act')).body);
  return data.map(({ type, actor: { id: by }, data: asked }) => ({ type, by, data: asked }));
}

/** The password of every user of `openDashboard`. */
export const PASSWORD = 'a long enough passphrase';

interface DashboardOptions {
  /** Settings beside those of a test. */
  readonly flags?: Flags;
  /** Variables for settings without a flag: the secret of live mode. */
  readonly env?: Environment;
  /** An existing data directory, which stays. */
  readonly dir?: string;
}

export async function openDashboard({ flags = {}, env = {}, dir }: DashboardOptions = {}): Promise<Dashboard> {
  const dataDir = dir ?? (await mkdtemp(join(tmpdir(), 'counterfoil-dashboard-')));
  const config = readConfig({ dataDir, port: '0', rateLimit: '0', logLevel: 'silent', ...flags }, env);
  const opened = await openCounterfoil(config, await openLog(config.logLevel));
  const running = await runService(opened, config);
  const { signal } = new AbortController();
  await running.untilReady(signal);
  const first = await firstStart(opened);
  if (first === undefined) throw new Error('operators have made accounts here');
  await connectSandboxes(opened, signal);
  const users = await usersOf(opened.service, first.accountId);
  const cookieOf = (role: Role): string => `counterfoil_session=${users[role].cookie}`;
  return {
    url: running.url,
    opened,
    routes: running.routes,
    service: opened.service,
    accountId: first.accountId,
    key: first.key?.key ?? '',
    userIdOf: (role) => users[role].userId,
    emailOf: (role) => `${role}@example.org`,
    cookieOf,
    async ask(role, method, path, body, headers = {}) {
      const answer = await fetch(`${running.url}${path}`, {
        method,
        redirect: 'manual',
        headers: {
          ...(role !== 'anybody' && { cookie: cookieOf(role) }),
          ...(method !== 'GET' && { 'x-csrf': '1' }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      const isJson = answer.headers.get('content-type')?.startsWith('application/json') === true;
      return {
        status: answer.status,
        headers: answer.headers,
        text,
        body: isJson && text !== '' ? JSON.parse(text) : undefined,
      };
    },
    async close() {
      await running.stop();
      if (dir === undefined) await rm(dataDir, { recursive: true });
    },
  };
}

interface Signed {
  readonly userId: string;
  readonly cookie: string;
}

/**
 * One of each role, invited and signed in by the link; on a directory where they are already, signed in by the
 * password.
 */
async function usersOf(service: Service, accountId: string): Promise<Readonly<Record<Role, Signed>>> {
  const signed = await Promise.all(
    ROLES.map(async (role) => [role, await signedIn(service, accountId, role)] as const),
  );
  const of = (role: Role): Signed => signed.find(([name]) => name === role)?.[1] ?? { userId: '', cookie: '' };
  return { owner: of('owner'), developer: of('developer'), support: of('support'), auditor: of('auditor') };
}

const signedIn = (service: Service, accountId: string, role: Role): Promise<Signed> =>
  signedInUser(service, accountId, role, `${role}@example.org`);

/** A user of the account, invited and signed in. */
export async function signedInUser(
  { users, world }: Service,
  accountId: string,
  role: Role,
  email: string,
  password = PASSWORD,
): Promise<Signed> {
  const request = { password, address: '127.0.0.1', device: 'a test', at: world.now(), requestId: 'req_test' };
  const invited = await users.inviteUser({ accountId, email, role }, 'operator');
  const done =
    invited.kind === 'rejected'
      ? await users.signIn({ email, ...request })
      : await users.welcome({ token: invited.token, ...request });
  if (done.kind !== 'signed_in') throw new Error(`${email} could not sign in`);
  return done;
}
