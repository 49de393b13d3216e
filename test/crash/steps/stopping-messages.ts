// The messages between a process whose requests stop at a step and its parent.
import { z } from 'zod';
import { StoresAt } from './stores-at.ts';

/** The child's argument, as JSON. */
export const Settings = z.object({
  at: StoresAt,
  /** Without a key the process makes an account and a key. */
  key: z.string().optional(),
  /** The lead of the business clock at the start, ms. */
  aheadMs: z.int(),
});
export type Settings = z.output<typeof Settings>;

export const ToChild = z.object({ kind: z.enum(['fallDue', 'faults']) });
export type ToChild = z.output<typeof ToChild>;

export const FromChild = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('serving'), url: z.string(), key: z.string() }),
  z.object({ kind: z.literal('walked'), stopped: z.boolean(), steps: z.array(z.string()).readonly() }),
  z.object({ kind: z.literal('fallenDue') }),
  /** Lines that must never appear: reported faults, and errors in the log. */
  z.object({ kind: z.literal('faults'), faults: z.array(z.string()).readonly() }),
]);
export type FromChild = z.output<typeof FromChild>;
