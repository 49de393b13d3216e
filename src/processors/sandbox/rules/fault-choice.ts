// Chooses the rule of a plan that strikes a call, and its effect on the call and its notification: a function of plan, counts and call.
import { createHash } from 'node:crypto';
import type { Fault, Manner } from '../faults/fault.ts';
import { DELAY_MS } from '../faults/fault-table.ts';
import type { CallKind, FaultPlan, Rule } from './fault-plan.ts';

export interface Call {
  readonly kind: CallKind;
  /** As asked for, minor units; undefined where there is none. */
  readonly amount: number | undefined;
  /** The row of the table of cards; undefined when no card of this sandbox is meant. */
  readonly card: string | undefined;
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
  readonly strike: Strike | undefined;
  /** The new counts of every rule that the call fits, by its place in the plan. */
  readonly counted: ReadonlyMap<number, Counts>;
}

/** From 0 to 1, the same for the same plan and the same call of it, whichever process asks. */
function chanceOf(seed: number, place: number, fitted: number, what: string): number {
  const digest = createHash('sha256').update(`${seed}\n${place}\n${fitted}\n${what}`).digest();
  return digest.readUInt32BE() / 2 ** 32;
}

function fits({ match: { operation, amount, card } }: Rule, call: Call): boolean {
  if (operation !== call.kind) return false;
  if (amount !== undefined && amount !== call.amount) return false;
  return card === undefined || card === call.card;
}

/** `nth` alone: that one call. `times` alone: the first ones. Both: so many from the nth on. Neither: every call. */
function isDue({ match: { nth = 1 }, do: { times }, match }: Rule, { fitted, struck }: Counts): boolean {
  const most = times ?? (match.nth === undefined ? Number.POSITIVE_INFINITY : 1);
  return fitted >= nth && struck < most;
}

function strikeOf({ do: what }: Rule, dropped: boolean): Strike {
  const { phase, fault, delayMs, duplicate, reorder } = what;
  const isOfCall = fault !== undefined && phase !== undefined && phase !== 'after_reply';
  const copies = fault === 'duplicate' || duplicate === true ? 1 : 0;
  const later = isOfCall ? 0 : (delayMs ?? (fault === 'delay' ? DELAY_MS : 0));
  const speaks =
    duplicate !== undefined || what.drop !== undefined || reorder !== undefined || (phase === 'after_reply' && fault !== 'reset');
  return {
    fault: isOfCall ? { phase, fault, delayMs: delayMs ?? (fault === 'slow' ? DELAY_MS : 0) } : undefined,
    manner: {
      ...((speaks || later > 0) && { always: true }),
      ...((dropped || fault === 'drop') && { lost: true }),
      ...((copies > 0 || typeof duplicate === 'number') && { copies: typeof duplicate === 'number' ? duplicate : copies }),
      ...(later > 0 && { delayMs: later }),
      ...((reorder === true || fault === 'reorder') && { heldBack: true }),
      ...(fault === 'bad_signature' && { badlySigned: true }),
      ...(fault === 'unknown_payment' && { withStranger: true }),
    },
  };
}

/** `countsOf`: the counts of a rule so far, by its place in the plan. */
export function choose({ seed, rules }: FaultPlan, countsOf: (place: number) => Counts, call: Call): Choice {
  const counted = new Map<number, Counts>();
  let strike: Strike | undefined;
  for (const [place, rule] of rules.entries()) {
    if (!fits(rule, call)) continue;
    const { fitted, struck } = countsOf(place);
    const counts = { fitted: fitted + 1, struck };
    const { chance = 1 } = rule.match;
    const strikes =
      strike === undefined && isDue(rule, counts) && (chance === 1 || chanceOf(seed, place, counts.fitted, 'strike') < chance);
    counted.set(place, strikes ? { ...counts, struck: struck + 1 } : counts);
    if (!strikes) continue;
    const { drop = false } = rule.do;
    strike = strikeOf(rule, drop === true || (drop !== false && chanceOf(seed, place, counts.fitted, 'drop') < drop));
  }
  return { strike, counted };
}

/** The phases in which nothing has happened yet. */
export const isBefore = ({ phase }: Fault): boolean => phase === 'before_send' || phase === 'before_effect';
