// Chooses the rule of a plan that strikes a call, and its effect on the call and its notification: a function of plan, counts and call.
import { hash } from 'node:crypto';
import { DELAY_MS, FAULTS, type Fault, type Manner } from '../faults/fault-table.ts';
import type { CallKind, FaultReport, Rule } from './fault-plan.ts';

export interface PlannedCall {
  readonly kind: CallKind;
  /** As asked for, minor units; undefined where there is none. */
  readonly amount?: number;
  /** The row of the table of cards; undefined when no card of this sandbox is meant. */
  readonly card?: string | undefined;
}

/** Of one rule. */
export interface Counts {
  /** Calls that fitted its match, `nth` and `chance` aside. */
  readonly fitted: number;
  readonly struck: number;
}
export const NO_COUNTS: Counts = { fitted: 0, struck: 0 };

export interface Strike {
  /** Undefined when only the notification is meant. */
  readonly fault: Fault | undefined;
  readonly manner: Manner;
}

export interface Choice {
  /** Of the first rule that strikes; undefined when none does. */
  readonly strike?: Strike | undefined;
  /** The new counts of all rules; undefined when the call fits none. */
  readonly counts?: Counts[];
}

/** A number from 0 to 1 decides: the same for the same plan and the same call of it, whichever process asks. */
const happens = (seed: number, place: number, fitted: number, what: 'strike' | 'drop', chance: number): boolean =>
  hash('sha256', `${seed}\n${place}\n${fitted}\n${what}`, 'buffer').readUInt32BE() / 2 ** 32 < chance;

const fits = ({ match: { operation, amount, card } }: Rule, call: PlannedCall): boolean =>
  operation === call.kind && (amount === undefined || amount === call.amount) && (card === undefined || card === call.card);

/** `nth` alone: that one call. `times` alone: the first ones. Both: so many from the nth on. Neither: every call. */
const isDue = ({ match: { nth }, do: { times } }: Rule, { fitted, struck }: Counts): boolean =>
  fitted >= (nth ?? 1) && struck < (times ?? (nth === undefined ? Number.POSITIVE_INFINITY : 1));

function strikeOf({ do: { phase, fault, delayMs, duplicate, drop, reorder } }: Rule, isDropped: boolean): Strike {
  const isOfCall = phase !== undefined && fault !== undefined && phase !== 'after_reply';
  const ofFault = isOfCall || fault === undefined ? undefined : FAULTS[fault].manner;
  const laterMs = isOfCall ? 0 : (delayMs ?? (fault === 'delay' ? DELAY_MS : 0));
  const speaks = ofFault !== undefined || laterMs > 0 || [duplicate, drop, reorder].some((member) => member !== undefined);
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
    const { fitted, struck } = before[place] ?? NO_COUNTS;
    const now = { fitted: fitted + Number(fits(rule, call)), struck };
    const { chance = 1 } = rule.match;
    const strikes = strike === undefined && fits(rule, call) && isDue(rule, now) && happens(seed, place, now.fitted, 'strike', chance);
    if (strikes) strike = strikeOf(rule, happens(seed, place, now.fitted, 'drop', Number(rule.do.drop ?? false)));
    counts.push(strikes ? { ...now, struck: struck + 1 } : now);
  }
  return { strike, counts };
}
