// The sandbox's one table of faults: the phases of a call in which each may strike, its effect, and the caller's knowledge afterwards.

/** Of a call, in the order in which they pass. */
export const PHASES = ['before_send', 'before_effect', 'after_effect_before_reply', 'during_reply', 'after_reply'] as const;
export type Phase = (typeof PHASES)[number];

export const FAULT_NAMES = [
  'reset',
  'hang',
  'slow',
  '429',
  '500',
  '502',
  '503',
  'invalid_json',
  'unknown_status',
  'wrong_id',
  'wrong_amount',
  'wrong_currency',
  'duplicate',
  'delay',
  'reorder',
  'drop',
  'bad_signature',
  'unknown_payment',
] as const;
export type FaultName = (typeof FAULT_NAMES)[number];

export interface FaultRow {
  readonly phases: readonly Phase[];
  /** For people. */
  readonly does: string;
}

const CALL = ['before_send', 'before_effect', 'after_effect_before_reply', 'during_reply'] as const;
const SENT = ['before_effect', 'after_effect_before_reply', 'during_reply'] as const;
const REPLY = ['after_effect_before_reply', 'during_reply'] as const;
const NOTIFICATION = ['after_reply'] as const;

const status = (words: string): FaultRow => ({
  phases: CALL,
  does: `The answer is ${words}. Before it is sent, that is the word of something in front of the processor: not sent. Later it says nothing about what was done: unknown.`,
});

/**
 * before_send: nothing reaches the processor, and the caller knows. before_effect: it does, and nothing comes of it.
 * after_effect_before_reply and during_reply: it has happened. after_reply: the caller has its answer, and the notification goes wrong.
 */
export const FAULTS: { readonly [F in FaultName]: FaultRow } = {
  reset: {
    phases: PHASES,
    does: 'The connection breaks. Before it is sent: not sent. Before the answer is whole: unknown. After it: nothing is lost.',
  },
  hang: { phases: CALL, does: 'No answer before the deadline: unknown; not sent when there was no connection yet.' },
  slow: {
    phases: CALL,
    does: 'It takes delayMs (3 s unless said otherwise) longer; the effect comes although the caller gives up, except before it is sent. What would begin more than 60 s late is dropped: look-ups that find nothing may be believed.',
  },
  '429': status('429 Too Many Requests'),
  '500': status('500 Internal Server Error'),
  '502': status('502 Bad Gateway'),
  '503': status('503 Service Unavailable'),
  invalid_json: { phases: SENT, does: 'The answer breaks off in the middle of its JSON: unknown.' },
  unknown_status: { phases: SENT, does: 'The answer names a status that does not exist: unknown.' },
  wrong_id: { phases: SENT, does: 'The answer is about another reference than was asked for, and is not believed: unknown.' },
  wrong_amount: { phases: REPLY, does: 'A success is answered with one minor unit more than was done.' },
  wrong_currency: { phases: REPLY, does: 'A success is answered in another currency than it was done in.' },
  duplicate: { phases: NOTIFICATION, does: 'The notification comes twice; with `duplicate: 3` it comes three more times.' },
  delay: { phases: NOTIFICATION, does: 'The notification comes delayMs (3 s unless said otherwise) later.' },
  reorder: { phases: NOTIFICATION, does: 'The notification is held back until a later one of the payment has gone, at most 60 s.' },
  drop: { phases: NOTIFICATION, does: 'The notification never comes; only a look-up tells.' },
  bad_signature: { phases: NOTIFICATION, does: 'The notification comes badly signed, then 1 s later as it should.' },
  unknown_payment: { phases: NOTIFICATION, does: 'With the notification comes another one, about a payment that does not exist.' },
};

/** How long `slow` and `delay` take where the rule does not say, ms. */
export const DELAY_MS = 3_000;
