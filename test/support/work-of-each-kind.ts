// One piece of each kind of work that waits for a person: a dispute, a failing endpoint, an unknown outcome, a parked
// stream and a parked notification.
import { z } from 'zod';
import { userCategory } from '../../src/domain/user/events.ts';
import { operatorContext } from '../../src/journal/contexts.ts';
import { beforeFirst, seal } from '../../src/journal/envelope.ts';
import { SIGNATURE_HEADER, signatureOf } from '../../src/processors/sandbox/notifications.ts';
import type { Dashboard } from './dashboard.ts';
import { shopOf } from './dashboard-shop.ts';
import { until } from './until.ts';

const DISPUTED = '4000000000000259';
export const PARKED_STREAM = 'user-usr_poisoned';
/** The sandbox opens a dispute 5 s after a capture. */
const STEP_MS = 6_000;
const Rows = z.looseObject({ data: z.array(z.looseObject({ health: z.string().optional() })) });

/** The lists of the dashboard's API that have one row each afterwards, by the kind of work. */
export const LISTS = {
  disputes: '/dashboard/api/disputes?status=OPEN',
  failing_endpoints: '/dashboard/api/webhook-endpoints',
  unknown_outcomes: '/dashboard/api/unresolved-payments',
  parked_streams: '/dashboard/api/parked-streams',
  parked_notifications: '/dashboard/api/parked-notifications',
} as const;

/** The number of rows in a list, of endpoints those that fail. */
export async function rowsOf({ ask }: Dashboard, path: string): Promise<number> {
  const { data } = Rows.parse((await ask('developer', 'GET', path)).body);
  return data.filter(({ health = 'failing' }) => health === 'failing').length;
}

/** Resolves when each list has its row. The business clock moves by 6 s. */
export async function workOfEachKind(dashboard: Dashboard): Promise<void> {
  const { ask } = dashboard;
  const shop = shopOf(dashboard);
  const made = async (path: string, body: unknown): Promise<void> => {
    const { status, text } = await ask('developer', 'POST', path, body);
    if (status >= 300) throw new Error(`${path} was answered with ${status} ${text}`);
  };
  await made('/dashboard/api/webhook-endpoints', { url: 'http://127.0.0.1:9/' });
  await shop.captured({ session: { orderId: 'order-disputed' }, card: DISPUTED });
  await made('/dashboard/api/sandbox/clock/advance', { byMs: STEP_MS });
  const rules = [
    { match: { operation: 'authorization' }, do: { times: 1, phase: 'before_effect', fault: '500' } },
    // Otherwise the resolver learns the outcome within seconds.
    { match: { operation: 'look_up' }, do: { times: 1_000, phase: 'before_effect', fault: '500' } },
  ];
  await shop.ask('/sandbox/faults', { seed: 1, rules }, undefined, 'PUT');
  await shop.paid({ session: { orderId: 'order-unknown' } });
  await parkedStream(dashboard);
  await parkedNotification(dashboard);
  for (const path of Object.values(LISTS)) await until(async () => (await rowsOf(dashboard, path)) === 1);
}

/** An event that its fold does not take: the first of its stream says that a user who never was is disabled. */
async function parkedStream({ opened: { events, world }, accountId }: Dashboard): Promise<void> {
  const context = operatorContext(world, accountId);
  const sealed = seal(userCategory, [{ type: 'UserDisabled', data: {} }], context, beforeFirst, world);
  await events.append(
    PARKED_STREAM,
    -1,
    sealed.map(({ stored }) => stored),
  );
}

async function parkedNotification({ opened: { secrets, world }, url, key }: Dashboard): Promise<void> {
  const [signing] = secrets.keys('sandbox-signature');
  if (signing === undefined) throw new Error('no key to sign with');
  const body = JSON.stringify({
    notificationId: 'n-1',
    type: 'authorization.succeeded',
    occurredAt: '2026-01-01T00:00:00Z',
    reference: 'nobody0',
    processorTransactionId: 'sbx_1',
    amount: 1_000,
    currencyCode: 'EUR',
  });
  const headers = {
    'x-api-key': key,
    'content-type': 'application/json',
    [SIGNATURE_HEADER]: signatureOf(signing, body, world.now()),
  };
  const { status } = await fetch(`${url}/webhooks/sandbox`, { method: 'POST', headers, body });
  if (status >= 300) throw new Error(`the notification was answered with ${status}`);
}
