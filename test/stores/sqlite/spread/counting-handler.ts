// Work of a thread for tests: tells what it was handed, and can be told to fail in every way.
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import type { OpenStreamWork } from '../../../../src/stores/event-store.ts';

export const Order = z.object({
  /** At an event of this stream the thread `throws`, or `dies`. */
  at: z.string().optional(),
  how: z.enum(['throws', 'dies']).optional(),
});

/** Pages as they came: the streams and revisions of their events, and whether each was the last of its share. */
export const Handed = z.array(
  z.object({ events: z.array(z.tuple([z.string(), z.number(), z.string()])), isLast: z.boolean() }),
);

export const openWork: OpenStreamWork = async (data) => {
  const { at, how } = Order.parse(data);
  await pause(0);
  let pages: z.infer<typeof Handed> = [];
  return {
    take(events, isLast) {
      if (events.some(({ stream }) => stream === at)) {
        if (how === 'throws') throw new Error('the work failed');
        process.exit(3); // of a thread it ends that thread
      }
      pages.push({ events: events.map(({ stream, revision, id }) => [stream, revision, id]), isLast });
      if (!isLast) return [];
      const note = pages;
      pages = [];
      return [{ bytes: new ArrayBuffer(8), note }];
    },
  };
};
