// A store's stamp: the mode for which it was created, its own key, wrapped, and the movements of the business clock.
import { z } from 'zod';
import { category, event, upcast } from './category.ts';
import { accept, type Decider, type Decision, reject } from './decider.ts';

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

export type StoreRecord =
  | { readonly status: 'absent' }
  | {
      readonly status: 'stamped';
      readonly mode: 'test' | 'live';
      /** The store key under the newest master secret that wrapped it. */
      readonly wrappedStoreKey: string;
      readonly createdAt: number;
      /** Of all events of the store. */
      readonly eventSchema: number;
      /** The key store that belongs to the log; absent before personal data was encrypted. */
      readonly keyStore?: string;
      /** True once each destroyed key is named by an event. */
      readonly namesErasures?: boolean;
      /** True once every wrapped key is bound to its id. */
      readonly bindsKeys?: boolean;
      /** The public keys of earlier secrets, as the last rotation has signed them; absent before one. */
      readonly olderKeys?: OlderKeys | undefined;
      /** How far business time is ahead of the machines' clocks, ms; never less than it was. */
      readonly clockOffsetMs: number;
    };

export const store: Decider<StoreRecord, StoreEvent> = {
  category: storeCategory,
  initial: { status: 'absent' },
  evolve(record, { type, data }) {
    if (type === 'StoreCreated') return { status: 'stamped', ...data, clockOffsetMs: 0 };
    if (record.status === 'absent') throw new Error(`${type} before StoreCreated`);
    switch (type) {
      case 'KeyStoreNamed':
        return { ...record, ...data };
      case 'StoreKeyRewrapped':
        return { ...record, ...data };
      case 'BusinessClockMoved':
        return { ...record, clockOffsetMs: data.offsetMs };
      default:
        return type satisfies never;
    }
  },
};

/** Ten years: cards that can be used today have expired by then, and nothing of ours falls due later. */
export const LONGEST_OFFSET_MS = 3_653 * 86_400_000;

/**
 * Moves business time forward by a whole number of ms, at least 1. Rejections: Conflict for a store of live mode (or
 * none), where time is everybody's; RequestValidationError for a step that does not go forward, or goes beyond
 * LONGEST_OFFSET_MS in all.
 */
export const moveBusinessClock =
  (byMs: number) =>
  (record: StoreRecord): Decision<StoreEvent> => {
    if (record.status === 'absent' || record.mode === 'live')
      return reject('Conflict', 'The business clock can be moved in test mode only.');
    const offsetMs = record.clockOffsetMs + byMs;
    if (!Number.isSafeInteger(byMs) || byMs < 1)
      return reject('RequestValidationError', 'The business clock can only be moved forward.');
    if (offsetMs > LONGEST_OFFSET_MS)
      return reject('RequestValidationError', 'The business clock cannot be moved more than ten years ahead in all.');
    return accept({ type: 'BusinessClockMoved', data: { byMs, offsetMs } });
  };
