// Events of a store itself: the mode for which it was created, its own key, wrapped, and movements of the business
// clock.
import { z } from 'zod';
import { category, event } from '../category.ts';

export const storeCategory = category(
  'store',
  z.discriminatedUnion('type', [
    event(
      'StoreCreated',
      z.strictObject({
        mode: z.enum(['test', 'live']),
        wrappedStoreKey: z.string(),
        createdAt: z.number(),
        /** Of all events of the store; a version that reads another one refuses it. */
        eventSchema: z.number(),
      }),
    ),
    /** The key store that belongs to the log: a keyed hash of its first key. */
    event('KeyStoreNamed', z.strictObject({ keyStore: z.string() })),
    event('StoreKeyRewrapped', z.strictObject({ wrappedStoreKey: z.string() })),
    /**
     * Test mode only: business time is `offsetMs` ahead of the machines' clocks from now on, by `byMs` more than
     * before.
     */
    event('BusinessClockMoved', z.strictObject({ byMs: z.number(), offsetMs: z.number() })),
  ]),
);
export type StoreEvent = z.infer<typeof storeCategory.event>;
