// What is recorded of a store itself: the mode it was made for and its own key, wrapped.
import { z } from 'zod';
import { category, event } from '../category.ts';

export const storeCategory = category(
  'store',
  z.discriminatedUnion('type', [
    event('StoreCreated', z.strictObject({ mode: z.enum(['test', 'live']), wrappedStoreKey: z.string().min(1), createdAt: z.int() })),
    event('StoreKeyRewrapped', z.strictObject({ wrappedStoreKey: z.string().min(1) })),
  ]),
);
export type StoreEvent = z.infer<typeof storeCategory.event>;
