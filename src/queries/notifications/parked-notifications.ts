// The parked notifications of an account, oldest first.
import type { Processor } from '../../processors/processor.ts';
import { type NotificationKey, notifications } from '../../projections/models/notifications.ts';
import type { Query, ReadModels } from '../../stores/read-models.ts';
import { allOf } from '../pages.ts';
import { type NotificationView, notificationView } from './notification-view.ts';

/** The parked notifications of all accounts; no index knows the account. */
export const PARKED: Pick<Query<NotificationKey>, 'where' | 'order'> = {
  where: { parkedAt: { from: 0 } },
  order: { by: 'parkedAt', descending: false },
};

/** Looked at up to here: an account with few among very many of others sees the oldest. */
const LOOKED_AT = 10_000;

/** Up to `limit`, and one more where there are more. */
export async function parkedNotifications(
  {
    readModels,
    processors,
  }: { readonly readModels: Pick<ReadModels, 'find'>; readonly processors: ReadonlyMap<string, Processor> },
  accountId: string,
  limit: number,
): Promise<readonly NotificationView[]> {
  const found: NotificationView[] = [];
  let looked = 0;
  for await (const { id, doc } of allOf(readModels, notifications, PARKED)) {
    looked += 1;
    if (doc.status === 'parked' && doc.accountId === accountId) found.push(notificationView(id, doc, processors));
    if (found.length > limit || looked >= LOOKED_AT) break;
  }
  return found;
}
