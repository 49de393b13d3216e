// The effect of `listen` on each message: a function of the seed and of the message's place among those that have
// arrived.
import { hash } from 'node:crypto';

export interface Misfortunes {
  /** Every message is sent twice. */
  readonly duplicate: boolean;
  /** Some are held until later ones have passed. */
  readonly shuffle: boolean;
  /** The part of the messages that is dropped, 0 to 1. */
  readonly drop: number;
  readonly seed: number;
}

/**
 * refuse: the service hears a 500, and delivers again · lose: it hears a 204, and the receiver nothing · pass: on to
 * the receiver, after `after` later ones have passed; the copy, if there is one, after `copyAfter` more.
 */
export type Fate =
  | { readonly kind: 'refuse' }
  | { readonly kind: 'lose' }
  | { readonly kind: 'pass'; readonly after: number; readonly copyAfter?: number };

export const PASS: Fate = { kind: 'pass', after: 0 };

/** How likely `shuffle` holds a message, and how many later ones pass it at most. */
const HELD = 0.4;
const MOST_PASS = 4;

/**
 * `place`: 0 and up, among the messages that have arrived for the first time. One seed and one place make one choice.
 */
export function choiceOf({ duplicate, shuffle, drop, seed }: Misfortunes, place: number): Fate {
  const chance = (of: string): number => hash('sha256', `${seed}\n${place}\n${of}`, 'buffer').readUInt32BE() / 2 ** 32;
  if (chance('drop') < drop) return { kind: chance('which') < 0.5 ? 'refuse' : 'lose' };
  const passing = (of: string): number =>
    shuffle && chance(of) < HELD ? 1 + Math.floor(chance(`${of} by`) * MOST_PASS) : 0;
  return { kind: 'pass', after: passing('held'), ...(duplicate && { copyAfter: passing('copy held') }) };
}
