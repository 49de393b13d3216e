// Events of a processor's notification: stored first, then applied, parked or discarded (contract §8).
import { z } from 'zod';
import { category, event, upcast } from '../category.ts';
import { CustomerErased, personal } from '../personal.ts';

const ReceivedV2 = z.strictObject({
  processor: z.string(),
  /** The connection to the processor that it came by. */
  connectionId: z.string(),
  accountId: z.string(),
  /** The processor's own id of it. */
  notificationId: z.string(),
  /** The body as it came, card numbers masked; it may hold several notifications. */
  raw: personal(z.string(), ''),
  /** The place of this one in the body, from 0. */
  item: z.number(),
  receivedAt: z.number(),
});
const NotificationReceived = ReceivedV2.extend({
  /** A keyed hash of what the processor reports in it, which shows a repetition after the body was erased. */
  contentHash: z.string().optional(),
});
export type NotificationReceived = Readonly<z.infer<typeof NotificationReceived>>;

/** Why a notification is parked, with all that its words need (state.ts). */
const REASONS_V1 = [
  z.strictObject({ code: z.literal('payment_unknown') }),
  z.strictObject({ code: z.literal('attempt_unknown') }),
  /** It reports one operation, but the attempt that it names is another one. */
  z.strictObject({ code: z.literal('operation_differs'), told: z.string(), attempted: z.string() }),
  /** It comes from one processor (`told`), and the attempt that it names went to another one. */
  z.strictObject({ code: z.literal('processor_differs'), told: z.string(), attempted: z.string() }),
  /** Another content came before under the same id: the record `firstRecordId`. */
  z.strictObject({ code: z.literal('content_differs'), firstRecordId: z.string() }),
  /** It reports a return of `attemptId`, which has no recorded success. */
  z.strictObject({ code: z.literal('return_without_success'), attemptId: z.string(), state: z.string() }),
  /** It reports a return of a different amount or currency than was booked; minor units. */
  z.strictObject({
    code: z.literal('return_differs'),
    attemptId: z.string(),
    amount: z.number(),
    currencyCode: z.string(),
  }),
  /**
   * It reports a dispute with an unknown status; in events of a version without disputes, a dispute with any status.
   */
  z.strictObject({ code: z.literal('dispute') }),
  /** The stored text cannot be read any more. */
  z.strictObject({ code: z.literal('unreadable') }),
  /** The payment did not take it; `errorId` of contract §7. */
  z.strictObject({ code: z.literal('refused'), errorId: z.string() }),
] as const;
const ParkedReason = z.discriminatedUnion('code', [
  ...REASONS_V1,
  /** It is about a saved method that is not known. */
  z.strictObject({ code: z.literal('instrument_unknown') }),
]);
const ParkedV1 = z.strictObject({ reason: z.discriminatedUnion('code', REASONS_V1), retryAt: z.number().optional() });
export type ParkedReason = Readonly<z.infer<typeof ParkedReason>>;

export const notificationCategory = category(
  'notification',
  z.discriminatedUnion('type', [
    event('NotificationReceived', NotificationReceived),
    event('NotificationApplied', z.strictObject({ paymentId: z.string() })),
    /** It was about a saved method, which has this token. */
    event('NotificationAppliedToInstrument', z.strictObject({ paymentMethodToken: z.string() })),
    /**
     * Again with every retry that changed nothing: when the next one is due, ms. Without it there is none; only an
     * operator, or the payment when it appears, has it tried again.
     */
    event('NotificationParked', ParkedV1.extend({ reason: ParkedReason })),
    /** A person asked for another try; its effect is an event of its own, or none. */
    event('NotificationRetryRequested', z.strictObject({ by: z.string() })),
    event('NotificationDiscarded', z.strictObject({ by: z.string() })),
    /** The customer of its payment was erased, and its body with the customer. */
    event('CustomerErased', CustomerErased),
  ]),
  {
    NotificationReceived: [upcast(ReceivedV2, (older) => older), upcast(ReceivedV2, (older) => older)],
    NotificationParked: [upcast(ParkedV1, (older) => older)],
  },
);
export type NotificationEvent = z.infer<typeof notificationCategory.event>;
