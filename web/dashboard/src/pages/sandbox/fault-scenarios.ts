// Failures worth testing, each as a fault rule of the sandbox. Others are added as custom rules.
import type { FaultRule } from './fault-queries.ts';

export interface FaultScenario {
  readonly title: string;
  /** What the service then knows about the outcome. */
  readonly effect: string;
  readonly phase: string;
  readonly fault: string;
  /** The calls that it applies to by default. */
  readonly operation: string;
  /** Its default delay in ms, if it has one. */
  readonly delayMs?: number;
}

export const SCENARIOS: readonly FaultScenario[] = [
  {
    title: 'Response breaks off',
    effect: 'The money moved. The outcome is unknown until a status check.',
    phase: 'during_reply',
    fault: 'reset',
    operation: 'capture',
  },
  {
    title: 'No response, the money moved',
    effect: 'The call times out. A status check finds the effect.',
    phase: 'after_effect_before_reply',
    fault: 'hang',
    operation: 'authorization',
  },
  {
    title: 'No response, nothing happened',
    effect: 'The call times out. A status check finds nothing.',
    phase: 'before_effect',
    fault: 'hang',
    operation: 'authorization',
  },
  {
    title: 'Connection refused',
    effect: 'The call never arrives. The attempt fails at once, and you can try again.',
    phase: 'before_send',
    fault: 'reset',
    operation: 'authorization',
  },
  {
    title: 'Server error after the effect',
    effect: 'A 500 says nothing about the effect, so the outcome is unknown.',
    phase: 'after_effect_before_reply',
    fault: '500',
    operation: 'capture',
  },
  {
    title: 'Slow processor',
    effect: 'The response is late. After the deadline the outcome is unknown.',
    phase: 'before_effect',
    fault: 'slow',
    operation: 'capture',
    delayMs: 5_000,
  },
  {
    title: 'Success with another amount',
    effect: 'The success is recorded as a mismatch and never accepted.',
    phase: 'during_reply',
    fault: 'wrong_amount',
    operation: 'capture',
  },
  {
    title: 'Notification sent twice',
    effect: 'The second one changes nothing.',
    phase: 'after_reply',
    fault: 'duplicate',
    operation: 'capture',
  },
  {
    title: 'Notification never sent',
    effect: 'Only a status check finds the outcome of a pending operation.',
    phase: 'after_reply',
    fault: 'drop',
    operation: 'capture',
  },
  {
    title: 'Notification with a bad signature',
    effect: 'It is refused with 401, and sent again with a good signature.',
    phase: 'after_reply',
    fault: 'bad_signature',
    operation: 'capture',
  },
];

/** True if the rule is this scenario's, with any parameters. */
export const isOf = ({ phase, fault }: FaultScenario, rule: FaultRule): boolean =>
  rule.do.phase === phase && String(rule.do.fault) === fault && isPlain(rule);

/** A rule with an amount, a card or a chance is a custom rule. */
const isPlain = ({ match: { amount, card, chance, nth } }: FaultRule): boolean =>
  [amount, card, chance, nth].every((one) => one === undefined);
