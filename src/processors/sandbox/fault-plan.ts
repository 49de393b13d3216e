// The rules by which the sandbox goes wrong for an account: the body of PUT /sandbox/faults (contract §10,
// "Faults by rule").

import { z } from 'zod';
import { OPERATIONS } from '../processor.ts';
import type { Card } from './card.ts';
import { cardOfId, cardOfNumber } from './cards.ts';
import { FAULT_NAMES, FAULTS, PHASES, STATUSES } from './faults.ts';

/**
 * The subjects of rules: the operations, the two calls that move nothing, and disputes: that one is opened, and the
 * answer to it.
 */
const CALL_KINDS = [...OPERATIONS, 'look_up', 'tokenization', 'dispute', 'dispute_answer'] as const;
export type CallKind = (typeof CALL_KINDS)[number];

/** So that a plan fits into one call between nodes. */
const MAX_RULES = 50;
/** A day: a message that is delayed longer is lost. */
const MAX_DELAY_MS = 86_400_000;
const MOST = 1_000_000;

const CardName = z
  .string()
  .max(64)
  .describe('A test card: one of its numbers, or its id, which is stored.')
  .refine((name) => cardOf(name) !== undefined, 'Must be one of the test cards.')
  .transform((name) => cardOf(name)?.id ?? name)
  .pipe(z.string());
const cardOf = (name: string): Card | undefined => cardOfNumber(name) ?? cardOfId(name);

const Match = z.strictObject({
  operation: z.enum(CALL_KINDS),
  amount: z.int().min(0).describe('The requested amount, in minor units.').exactOptional(),
  nth: z
    .int()
    .min(1)
    .max(MOST)
    .describe(
      'Applies to the nth call that matches the other fields, from 1; with `times`, to so many calls from the nth on.',
    )
    .exactOptional(),
  card: CardName.exactOptional(),
  chance: z
    .number()
    .gt(0)
    .max(1)
    .describe('The probability that the rule applies to a matching call; the seed decides.')
    .exactOptional(),
});

const FaultName = z
  .union([z.enum(FAULT_NAMES), z.literal(STATUSES.map(Number))], { error: `Must be one of ${FAULT_NAMES.join(', ')}.` })
  .describe(FAULT_NAMES.map((name) => `${name} (${FAULTS[name].phases.join(', ')}): ${FAULTS[name].does}`).join('\n'))
  .transform(String)
  .pipe(z.enum(FAULT_NAMES));

const Do = z
  .strictObject({
    phase: z.enum(PHASES).exactOptional(),
    fault: FaultName.exactOptional(),
    times: z
      .int()
      .min(1)
      .max(MOST)
      .describe('How often the rule applies; without it, once if there is an `nth`, otherwise always.')
      .exactOptional(),
    delayMs: z
      .int()
      .min(0)
      .max(MAX_DELAY_MS)
      .describe('The delay of the fault of a call, or of the notification if there is no such fault, in ms.')
      .exactOptional(),
    duplicate: z
      .union([z.boolean(), z.int().min(1).max(10)], { error: 'Must be true, false or a whole number from 1 to 10.' })
      .describe('How many more times the notification is sent; true: one more time.')
      .exactOptional(),
    drop: z
      .union([z.boolean(), z.number().min(0).max(1)], { error: 'Must be true, false or a number from 0 to 1.' })
      .describe('The notification is never sent; a number is the probability, and the seed decides.')
      .exactOptional(),
    reorder: z
      .boolean()
      .describe('The notification waits until a later one of the payment has been sent.')
      .exactOptional(),
  })
  .superRefine(({ phase, fault, delayMs, duplicate, drop, reorder }, check) => {
    const say = (path: readonly string[], message: string): void =>
      check.addIssue({ code: 'custom', path: [...path], message });
    if (fault === undefined && phase === undefined) {
      const quiet = [delayMs, duplicate, drop, reorder].every((member) => member === undefined);
      if (quiet) say([], 'Must name a phase and a fault, or the effect on the notification.');
    } else if (fault === undefined) say(['fault'], 'Required with a phase.');
    else if (phase === undefined) say(['phase'], 'Required with a fault.');
    else if (!FAULTS[fault].phases.includes(phase))
      say(['phase'], `Must be one of ${FAULTS[fault].phases.join(', ')} for ${fault}.`);
  });

const Rule = z.strictObject({ match: Match, do: Do });
export type Rule = z.output<typeof Rule>;

/** The first rule that matches a call is applied to it. Without rules, only test cards cause faults. */
export const FaultPlan = z
  .strictObject({ seed: z.int().min(0).default(0), rules: z.array(Rule).max(MAX_RULES) })
  .meta({ id: 'SandboxFaultPlan' });
export type FaultPlan = z.output<typeof FaultPlan>;

/** The stored plan, with the number of calls that each rule matched and was applied to. Empty lists are left out. */
export const FaultReport = z
  .strictObject({
    seed: z.int().min(0),
    rules: z.array(Rule).min(1).exactOptional(),
    counts: z
      .array(z.strictObject({ matched: z.int().min(0), applied: z.int().min(0) }))
      .min(1)
      .exactOptional(),
  })
  .meta({ id: 'SandboxFaultReport' });
export type FaultReport = z.output<typeof FaultReport>;

export const NO_FAULTS: FaultReport = { seed: 0 };

/** A sentence for each problem, with its path. */
export const problemsIn = ({ issues }: z.ZodError): readonly string[] =>
  issues.map(({ path, message }) => (path.length === 0 ? message : `${path.join('.')}: ${message}`));
