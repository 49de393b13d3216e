// A row of the suite of processors: a duty, and what asks for it.
import type { Bench } from './bench.ts';

/**
 * What only some processors have: `prepare`, `fence`, secrets of a connection, several notifications in a body, a test
 * mode beside the live one, refusals of which the customer can still make a payment, pages on which customers act, and
 * `resume`, without which nothing goes on after that; methods that are kept for a customer, about which notifications
 * come; the network's names of the payment with which a card was kept, sent with each later one.
 */
const TRAITS = [
  'prepares',
  'fences',
  'secrets',
  'batches',
  'modes',
  'confirms_again',
  'challenges',
  'resumes',
  'saves',
  'names_first_payment',
] as const;
export type Trait = (typeof TRAITS)[number];

export interface Row {
  /** A sentence about the processor. */
  readonly name: string;
  /** Processors without it, or without one of these, are not asked. */
  readonly needs?: Trait | readonly Trait[];
  /** Throws an AssertionError if the processor does not do its duty. The bench is new for each row. */
  readonly check: (bench: Bench) => Promise<void>;
}
