// The stamp of a store as it stands.
import type { Decider } from '../decider.ts';
import { type OlderKeys, type StoreEvent, storeCategory } from './events.ts';

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
