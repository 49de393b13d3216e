// A service with management keys, and calls as a merchant's infrastructure makes them. Every answer is held against the
// description below /management.
import { z } from 'zod';
import type { Scope } from '../../../src/domain/scopes.ts';
import { type Dashboard, openDashboard } from '../../support/dashboard.ts';
import { conformityTo } from '../described.ts';

export interface Called {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
  readonly errorId: string | undefined;
}

export interface ManagementKey {
  readonly id: string;
  /** The key itself. */
  readonly text: string;
}

export interface Management {
  readonly dashboard: Dashboard;
  readonly call: (
    key: string,
    method: string,
    path: string,
    body?: object,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<Called>;
  readonly newKey: (grants: readonly Scope[], accountId?: string) => Promise<ManagementKey>;
  readonly close: () => Promise<void>;
}

const Refused = z.object({ error: z.object({ errorId: z.string() }) });

export async function openManagement(): Promise<Management> {
  const dashboard = await openDashboard();
  const { url, service, routes } = dashboard;
  const conformity = conformityTo(JSON.parse(await (await fetch(`${url}/management/openapi.json`)).text()));
  const routeOf = (method: string, path: string): string | undefined =>
    routes.find(
      (route) => route.method === method && new RegExp(`^${route.path.replaceAll(/:\w+/g, '[^/]+')}$`).test(path),
    )?.path;
  return {
    dashboard,
    async call(key, method, path, body, headers = {}) {
      const answer = await fetch(`${url}${path}`, {
        method,
        headers: { 'x-api-key': key, ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const answered: unknown = await answer.json();
      const route = routeOf(method, path);
      const faults =
        route?.startsWith('/management/') === true ? conformity(method, route, answer.status, answered) : [];
      if (faults.length > 0) throw new Error(`${method} ${path}: ${faults.join('\n')}`);
      return {
        status: answer.status,
        headers: answer.headers,
        body: answered,
        errorId: Refused.safeParse(answered).data?.error.errorId,
      };
    },
    async newKey(grants, accountId = dashboard.accountId) {
      const made = await service.access.createManagementKey({ accountId, name: 'terraform', grants });
      if (made.kind === 'rejected') throw new Error(made.description);
      return { id: made.id, text: made.key };
    },
    close: () => dashboard.close(),
  };
}
