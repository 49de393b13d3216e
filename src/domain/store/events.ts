// Events of a store itself: the mode for which it was created, its own key, wrapped, and movements of the business
// clock.
import { z } from 'zod';
import { category, event, upcast } from '../category.ts';

/** Public keys of checkpoints, and their signature by the key of the secret that was then the newest. */
const OlderKeys = z.strictObject({ publicKeys: z.array(z.string()).readonly(), signature: z.string() });
export type OlderKeys = z.infer<typeof OlderKeys>;

const NamedV1 = z.strictObject({ keyStore: z.string() });
const Named = NamedV1.extend({
  /** From here on each destroyed key is named by an event (KeyDestructionRequested). */
  namesErasures: z.boolean(),
  /** Every wrapped key is bound to its id, and an unbound key is refused. */
  bindsKeys: z.boolean(),
});

const RewrappedV1 = z.strictObject({ wrappedStoreKey: z.string() });
const Rewrapped = z.strictObject({
  ...RewrappedV1.shape,
  /** The keys of earlier secrets, whose checkpoints stay verifiable without them. */
  olderKeys: OlderKeys.optional(),
});

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
    /** The key store that belongs to the log: a keyed hash of its first key, and what its keys promise from now on. */
    event('KeyStoreNamed', Named),
    event('StoreKeyRewrapped', Rewrapped),
    /**
     * Test mode only: business time is `offsetMs` ahead of the machines' clocks from now on, by `byMs` more than
     * before.
     */
    event('BusinessClockMoved', z.strictObject({ byMs: z.number(), offsetMs: z.number() })),
  ]),
  {
    KeyStoreNamed: [upcast(NamedV1, (older) => ({ ...older, namesErasures: false, bindsKeys: false }))],
    StoreKeyRewrapped: [upcast(RewrappedV1, (older) => older)],
  },
);
export type StoreEvent = z.infer<typeof storeCategory.event>;
