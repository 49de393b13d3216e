// Misfortunes that are worth a test, each as a rule of the sandbox; what is not here is made as a rule by hand.
import type { FaultRule } from './fault-queries.ts';

export interface FaultScenario {
  readonly title: string;
  /** What the service then knows. */
  readonly effect: string;
  readonly phase: string;
  readonly fault: string;
  /** Which calls, until the user says otherwise. */
  readonly operation: string;
  /** It has a delay, in ms; until the user says otherwise. */
  readonly delayMs?: number;
}

export const SCENARIOS: readonly FaultScenario[] = [
  {
    title: 'The answer breaks off',
    effect: 'The money has moved, and the outcome is unknown until a look-up.',
    phase: 'during_reply',
    fault: 'reset',
    operation: 'capture',
  },
  {
    title: 'No answer, the money moved',
    effect: 'The call runs into its deadline; a look-up finds the effect.',
    phase: 'after_effect_before_reply',
    fault: 'hang',
    operation: 'authorization',
  },
  {
    title: 'No answer, nothing happened',
    effect: 'The call runs into its deadline; a look-up finds nothing.',
    phase: 'before_effect',
    fault: 'hang',
    operation: 'authorization',
  },
  {
    title: 'Connection refused',
    effect: 'The call never gets there. The attempt fails at once, and may be made again.',
    phase: 'before_send',
    fault: 'reset',
    operation: 'authorization',
  },
  {
    title: 'Server error after the effect',
    effect: 'A 500 says nothing about what was done: unknown.',
    phase: 'after_effect_before_reply',
    fault: '500',
    operation: 'capture',
  },
  {
    title: 'A slow processor',
    effect: 'The answer comes late; past the deadline the outcome is unknown.',
    phase: 'before_effect',
    fault: 'slow',
    operation: 'capture',
    delayMs: 5_000,
  },
  {
    title: 'Success in another amount',
    effect: 'It is recorded as a mismatch, and never believed.',
    phase: 'during_reply',
    fault: 'wrong_amount',
    operation: 'capture',
  },
  {
    title: 'The notification comes twice',
    effect: 'The second one changes nothing.',
    phase: 'after_reply',
    fault: 'duplicate',
    operation: 'capture',
  },
  {
    title: 'The notification never comes',
    effect: 'Only a look-up tells how a pending operation ended.',
    phase: 'after_reply',
    fault: 'drop',
    operation: 'capture',
  },
  {
    title: 'The notification is badly signed',
    effect: 'It is refused with 401, and comes once more as it should.',
    phase: 'after_reply',
    fault: 'bad_signature',
    operation: 'capture',
  },
];

/** Whether a rule is this scenario's, whatever its parameters. */
export const isOf = ({ phase, fault }: FaultScenario, rule: FaultRule): boolean =>
  rule.do.phase === phase && String(rule.do.fault) === fault && isPlain(rule);

/** A rule that also asks for an amount, a card or a chance is the user's own. */
const isPlain = ({ match: { amount, card, chance, nth } }: FaultRule): boolean =>
  [amount, card, chance, nth].every((one) => one === undefined);
