// The choice of a rule for a call: a function of plan, counts and call. It loads no test card, so that a node in live
// mode may load it.
import { hash } from 'node:crypto';
import type { CallKind, FaultReport, Rule } from './fault-plan.ts';
import { DELAY_MS, FAULTS, type Fault, type Manner } from './faults.ts';

export interface PlannedCall {
  readonly kind: CallKind;
  /** The requested amount in minor units; undefined for a call without an amount. */
  readonly amount?: number;
  /** The row in the table of cards; undefined for a card that the sandbox does not know. */
  readonly card?: string | undefined;
}

/** The counts of one rule. */
export interface Counts {
  /** The calls that its match fits, regardless of `nth` and `chance`. */
  readonly matched: number;
  readonly applied: number;
}
export const NO_COUNTS: Counts = { matched: 0, applied: 0 };

export interface Strike {
  /** Undefined if the rule affects only the notification. */
  readonly fault: Fault | undefined;
  readonly manner: Manner;
}

interface Choice {
  /** The effect of the first rule that applies, or undefined if none does. */
  readonly strike?: Strike | undefined;
  /** The new counts of all rules, or undefined if the call matches none. */
  readonly counts?: Counts[];
}

/** Draws a number from 0 to 1: the same for the same plan and the same call, in every process. */
const happens = (seed: number, place: number, matched: number, what: 'strike' | 'drop', chance: number): boolean =>
  hash('sha256', `${seed}\n${place}\n${matched}\n${what}`, 'buffer').readUInt32BE() / 2 ** 32 < chance;

const fits = ({ match: { operation, amount, card } }: Rule, call: PlannedCall): boolean =>
  operation === call.kind &&
  (amount === undefined || amount === call.amount) &&
  (card === undefined || card === call.card);

/** `nth` alone: that one call. `times` alone: the first calls. Both: so many from the nth on. Neither: every call. */
const isDue = (rule: Rule, counts: Counts): boolean =>
  counts.matched >= (rule.match.nth ?? 1) && !isUsedUp(rule, counts);

/** True if the rule was applied as often as it may be, and applies to no further call. */
export const isUsedUp = ({ match: { nth }, do: { times } }: Rule, { applied }: Counts): boolean =>
  applied >= (times ?? (nth === undefined ? Number.POSITIVE_INFINITY : 1));

function strikeOf({ do: { phase, fault, delayMs, duplicate, drop, reorder } }: Rule, isDropped: boolean): Strike {
  const isOfCall = phase !== undefined && fault !== undefined && phase !== 'after_reply';
  const ofFault = isOfCall || fault === undefined ? undefined : FAULTS[fault].manner;
  const laterMs = isOfCall ? 0 : (delayMs ?? (fault === 'delay' ? DELAY_MS : 0));
  const speaks =
    ofFault !== undefined || laterMs > 0 || [duplicate, drop, reorder].some((member) => member !== undefined);
  return {
    fault: isOfCall ? { phase, fault, delayMs: delayMs ?? (fault === 'slow' ? DELAY_MS : 0) } : undefined,
    manner: {
      ...(speaks && { always: true }),
      ...ofFault,
      ...(isDropped && { lost: true }),
      ...((duplicate ?? false) !== false && { copies: Number(duplicate) }),
      ...(laterMs > 0 && { delayMs: laterMs }),
      ...(reorder === true && { heldBack: true }),
    },
  };
}

export function choose({ seed, rules = [], counts: before = [] }: FaultReport, call: PlannedCall): Choice {
  if (!rules.some((rule) => fits(rule, call))) return {};
  let strike: Strike | undefined;
  const counts: Counts[] = [];
  for (const [place, rule] of rules.entries()) {
    const { matched, applied } = before[place] ?? NO_COUNTS;
    const now = { matched: matched + Number(fits(rule, call)), applied };
    const { chance = 1 } = rule.match;
    const strikes =
      strike === undefined &&
      fits(rule, call) &&
      isDue(rule, now) &&
      happens(seed, place, now.matched, 'strike', chance);
    if (strikes) strike = strikeOf(rule, happens(seed, place, now.matched, 'drop', Number(rule.do.drop ?? false)));
    counts.push(strikes ? { ...now, applied: applied + 1 } : now);
  }
  return { strike, counts };
}
