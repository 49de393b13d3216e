// Events of a processor's notification: stored first, then applied, parked or discarded (contract §8).
import { z } from 'zod';
import { category, event } from '../category.ts';

const NotificationReceived = z.strictObject({
  processor: z.string(),
  /** The connection to the processor that it came by. */
  connectionId: z.string(),
  accountId: z.string(),
  /** The processor's own id of it. */
  notificationId: z.string(),
  /** The body as it came, card numbers masked; it may hold several notifications. */
  raw: z.string(),
  /** The place of this one in the body, from 0. */
  item: z.number(),
  receivedAt: z.number(),
});
export type NotificationReceived = Readonly<z.infer<typeof NotificationReceived>>;

export const notificationCategory = category(
  'notification',
  z.discriminatedUnion('type', [
    event('NotificationReceived', NotificationReceived),
    event('NotificationApplied', z.strictObject({ paymentId: z.string() })),
    /**
     * Again with every retry that changed nothing: when the next one is due, ms. Without it there is none; only an operator, or the
     * payment when it appears, has it tried again.
     */
    event('NotificationParked', z.strictObject({ reason: z.string(), retryAt: z.number().optional() })),
    event('NotificationDiscarded', z.strictObject({ by: z.string() })),
  ]),
);
export type NotificationEvent = z.infer<typeof notificationCategory.event>;
