// What goes wrong with one call, and with the notifications of an operation: by a card's row or by a rule.
import type { FaultName, Phase } from './fault-table.ts';

/** What goes wrong on the way (fault-table.ts). `delayMs`: how long it takes to show. */
export interface Fault {
  readonly phase: Phase;
  readonly fault: FaultName;
  readonly delayMs?: number;
}

/** How notifications come; without it, once, of what was pending, when it is known. */
export interface Manner {
  /** Of operations that were answered at once as well. */
  readonly always?: boolean;
  /** Never. */
  readonly lost?: boolean;
  /** How many more times. */
  readonly copies?: number;
  /** How much later, ms. */
  readonly delayMs?: number;
  /** After the later ones of the payment, as far as these come soon. */
  readonly heldBack?: boolean;
  /** Badly signed the first time. */
  readonly badlySigned?: boolean;
  /** With another one about a payment that does not exist. */
  readonly withStranger?: boolean;
  /** Before the answer of the call: the answer waits until it was accepted, at most 5 s. */
  readonly first?: boolean;
}
