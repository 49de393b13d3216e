// The sandbox's one table of faults: the phases of a call in which each may strike, its effect, and the caller's
// knowledge afterwards, graded by the answer and never by the effect.
import type { LookUp, NotSent, Outcome, Unknown } from '../../domain/payment/outcome.ts';
import { otherCurrencyThan } from './names.ts';

/** The phases of a call, in order. */
export const PHASES = [
  'before_send',
  'before_effect',
  'after_effect_before_reply',
  'during_reply',
  'after_reply',
] as const;
export type Phase = (typeof PHASES)[number];

export const STATUSES = ['429', '500', '502', '503'] as const;
const WRONG_ANSWERS = ['invalid_json', 'unknown_status', 'wrong_id', 'wrong_amount', 'wrong_currency'] as const;
const OF_NOTIFICATIONS = ['duplicate', 'delay', 'reorder', 'drop', 'bad_signature', 'unknown_payment'] as const;
export const FAULT_NAMES = ['reset', 'hang', 'slow', ...STATUSES, ...WRONG_ANSWERS, ...OF_NOTIFICATIONS] as const;
export type FaultName = (typeof FAULT_NAMES)[number];

/** A fault on the way of a call. `delayMs`: how long it takes to show. */
export interface Fault {
  readonly phase: Phase;
  readonly fault: FaultName;
  readonly delayMs?: number;
}

/** The phases in which nothing has happened yet. */
export const isBefore = ({ phase }: Fault): boolean => phase === 'before_send' || phase === 'before_effect';

/** How notifications come; without it each comes once, when a pending operation ends. */
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

interface FaultRow {
  readonly phases: readonly Phase[];
  /** For people. */
  readonly does: string;
  /** Why the outcome of a sent call is unknown; absent if its response shows it. */
  readonly unknown?: string;
  /** How the notification comes. */
  readonly manner?: Manner;
}

const CALL = ['before_send', 'before_effect', 'after_effect_before_reply', 'during_reply'] as const;
const SENT = ['before_effect', 'after_effect_before_reply', 'during_reply'] as const;
const REPLY = ['after_effect_before_reply', 'during_reply'] as const;

const status = (code: (typeof STATUSES)[number], words: string): FaultRow => ({
  phases: CALL,
  does: `The response is ${code} ${words}. Before the call is sent, the response comes from something in front of the processor: not sent. Later, the response does not show whether the operation was done: unknown.`,
  unknown: `answered with status ${code}`,
});
const notification = (does: string, manner: Manner): FaultRow => ({ phases: ['after_reply'], does, manner });

/**
 * before_send: nothing reaches the processor, and the caller knows. before_effect: the call arrives, without an effect.
 * after_effect_before_reply and during_reply: the operation has happened. after_reply: the caller has the response, and
 * the notification goes wrong.
 */
export const FAULTS: { readonly [F in FaultName]: FaultRow } = {
  reset: {
    phases: PHASES,
    does: 'The connection breaks. Before the call is sent: not sent. Before the response is complete: unknown. Afterwards: nothing is lost.',
    unknown: 'the connection broke',
  },
  hang: {
    phases: CALL,
    does: 'No response before the deadline: unknown, or not sent if there was no connection yet.',
    unknown: 'no answer before the deadline',
  },
  slow: {
    phases: CALL,
    does: 'The call takes delayMs longer (3 s by default). The operation happens even if the caller gives up, except before the call is sent. An operation that would begin more than 60 s late is dropped, so that a look-up that finds nothing can be trusted.',
  },
  '429': status('429', 'Too Many Requests'),
  '500': status('500', 'Internal Server Error'),
  '502': status('502', 'Bad Gateway'),
  '503': status('503', 'Service Unavailable'),
  invalid_json: {
    phases: SENT,
    does: 'The response breaks off in the middle of its JSON: unknown.',
    unknown: 'its answer is not JSON',
  },
  unknown_status: {
    phases: SENT,
    does: 'The response names a status that does not exist: unknown.',
    unknown: 'its answer has a status that does not exist',
  },
  wrong_id: {
    phases: SENT,
    does: 'The response has a different reference than the request, and is not accepted: unknown.',
    unknown: 'its answer is about another reference',
  },
  wrong_amount: { phases: REPLY, does: 'The response to a success reports one minor unit too many.' },
  wrong_currency: { phases: REPLY, does: 'The response to a success reports a different currency.' },
  duplicate: notification('The notification is sent twice; with `duplicate: 3` it is sent three more times.', {
    copies: 1,
  }),
  delay: notification('The notification is sent delayMs later (3 s by default).', {}),
  reorder: notification('The notification waits until a later one of the payment has been sent, at most 60 s.', {
    heldBack: true,
  }),
  drop: notification('The notification is never sent; only a look-up finds the outcome.', { lost: true }),
  bad_signature: notification('The notification is sent with a wrong signature, and correctly 1 s later.', {
    badlySigned: true,
  }),
  unknown_payment: notification('A second notification is sent, about a payment that does not exist.', {
    withStranger: true,
  }),
};

/** The default delay of `slow` and `delay`, in ms. */
export const DELAY_MS = 3_000;

/** A success with another amount or currency; any other answer stays as it is. */
function distorted<O extends Outcome | LookUp>(truth: O, fault: FaultName): O {
  if (truth.kind !== 'succeeded') return truth;
  if (fault === 'wrong_currency') return { ...truth, currencyCode: otherCurrencyThan(truth.currencyCode) };
  if (fault !== 'wrong_amount') return truth;
  // More than requested: a smaller capture would be accepted (contract §4).
  return { ...truth, amount: truth.amount === Number.MAX_SAFE_INTEGER ? truth.amount - 1 : truth.amount + 1 };
}

/** True if the answer of a call comes, and can be read, in spite of a fault. */
export const isAnswered = ({ phase, fault }: Fault): boolean =>
  phase === 'after_reply' || FAULTS[fault].unknown === undefined;

/**
 * `truth`: the answer without the fault; undefined if nothing was done. The caller itself waits for a hang, and for a
 * slow answer.
 */
export function learntFrom<O extends Outcome | LookUp>({ phase, fault }: Fault, truth?: O): O | Unknown | NotSent {
  const unknown = (detail: string): Unknown => ({ kind: 'unknown', detail });
  if (isAnswered({ phase, fault })) return truth === undefined ? unknown('nothing was done') : distorted(truth, fault);
  if (phase === 'before_send')
    return {
      kind: 'not_sent',
      detail: isStatus(fault) ? `refused with status ${fault} before it was sent` : 'connection refused',
    };
  const { unknown: why = '' } = FAULTS[fault];
  if (fault !== 'reset') return unknown(why);
  return unknown(`${why} ${phase === 'during_reply' ? 'in the middle of the answer' : 'before the answer'}`);
}

const isStatus = (fault: FaultName): boolean => STATUSES.some((status) => status === fault);
