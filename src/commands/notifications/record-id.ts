// The stream of a processor's notification: named by a digest of its id, so that each is taken once.
import type { StoreKey } from '../../secrets.ts';

/** `notificationId`: the processor's own id, as it came. */
export const notificationRecordId = (
  storeKey: StoreKey,
  accountId: string,
  processor: string,
  notificationId: string,
): string => storeKey.name('notification-stream', `${accountId}\n${processor}\n${notificationId}`);
