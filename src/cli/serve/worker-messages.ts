// The messages between a supervisor and its workers.
import { z } from 'zod';

/** The variable in which a worker finds its place; its absence makes a process its own service. */
export const PLACE_VARIABLE = 'COUNTERFOIL_WORKER_PLACE';

export const WorkerPlace = z.object({
  /** From 1 on; the worker that replaces another one has its number. */
  number: z.int().min(1),
  /** The port that it listens on; 0: the free one that the first worker takes, or took. */
  port: z.int().min(0),
  /** How many workers there are. */
  workers: z.int().min(2),
});
export type WorkerPlace = z.output<typeof WorkerPlace>;

const Attempted = z.object({ sessionId: z.string(), fingerprint: z.string() });

/** A call of the counts that all workers share (src/commands/limits/permits.ts). */
export const CountCall = z.discriminatedUnion('of', [
  z.object({ of: z.literal('permits'), key: z.string(), second: z.number(), wanted: z.number() }),
  z.object({
    of: z.literal('counter'),
    kind: z.object({ name: z.string(), seconds: z.number() }),
    act: z.enum(['penalty', 'reward', 'get', 'delete']),
    key: z.string(),
  }),
  z.object({ of: z.literal('tokenized'), sessionId: z.string(), addressBlock: z.string() }),
  z.object({ of: z.literal('look'), attempted: Attempted }),
  z.object({ of: z.literal('reserve'), paymentId: z.string(), attempted: Attempted }),
  z.object({ of: z.literal('giveBack'), paymentId: z.string() }),
  z.object({
    of: z.literal('settled'),
    paymentId: z.string(),
    declined: z.object({ sessionId: z.string(), fingerprint: z.string().optional() }).optional(),
  }),
]);
export type CountCall = z.output<typeof CountCall>;

export const ToWorker = z.discriminatedUnion('kind', [
  /** Take the steps of the first start, and print the address. */
  z.object({ kind: z.literal('announce') }),
  /** The address is printed: readiness may be reported. */
  z.object({ kind: z.literal('started') }),
  /** Finish what runs, and end. */
  z.object({ kind: z.literal('stop') }),
  /** Tell the metrics. */
  z.object({ kind: z.literal('scrape') }),
  /** The results of calls, by the numbers of the calls. */
  z.object({ kind: z.literal('counted'), results: z.array(z.tuple([z.number(), z.unknown()])) }),
]);
export type ToWorker = z.output<typeof ToWorker>;

export const FromWorker = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('listening'), url: z.string() }),
  z.object({ kind: z.literal('announced') }),
  /** All metrics as JSON: asked for, and at the end. */
  z.object({ kind: z.literal('metrics'), metrics: z.array(z.unknown()) }),
  /** Calls of the counts that all workers share, each with its number. */
  z.object({ kind: z.literal('count'), calls: z.array(z.tuple([z.number(), CountCall])) }),
]);
export type FromWorker = z.output<typeof FromWorker>;
