// The module that the threads of a rebuild load: it knows every read model by its name.
import { z } from 'zod';
import { StoreKey } from '../../secrets.ts';
import type { OpenStreamWork } from '../../stores/event-store.ts';
import { foldWorkOf } from '../engine/rebuild/fold.ts';
import { projectionsWith } from '../models/all.ts';

/** `secret`: the store's key, as of `projectionsWith`. */
const Data = z.object({ order: z.unknown(), secret: z.instanceof(Uint8Array).optional() });

export const openWork: OpenStreamWork = async (data) => {
  const { order, secret } = Data.parse(data);
  return foldWorkOf(projectionsWith(secret && new StoreKey(Buffer.from(secret))))(order);
};
