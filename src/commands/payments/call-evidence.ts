// What a call to a processor leaves on record besides its outcome; no card number in any of it.

import { mayHoldCardNumber } from '../../domain/card-number-search.ts';
import { maskCardNumbers, maskedText } from '../../domain/mask-card-numbers.ts';
import type { Evidence, LookUp, Outcome } from '../../domain/payment/outcome.ts';

/** Of a call that was made: when it was sent, ms. Undefined when nothing was sent. */
export interface Call {
  readonly sentAt: number;
}

/** What an answer or a look-up rests on. `outcome` has passed `withoutCardNumbers`; what a fault of the network looked like is kept. */
export const evidenceOf = (source: 'answer' | 'lookup', outcome: Outcome | LookUp, call: Call | undefined): Evidence => ({
  source,
  ...call,
  ...('detail' in outcome && { detail: outcome.detail }),
});

/** The same outcome with the card numbers in its texts masked; nearly always the very object. An outcome is never refused for what it says. */
export function withoutCardNumbers(outcome: Outcome): Outcome;
export function withoutCardNumbers(outcome: LookUp): LookUp;
export function withoutCardNumbers(outcome: Outcome | LookUp): Outcome | LookUp {
  const json = JSON.stringify(outcome);
  if (!json.includes('\\') && !mayHoldCardNumber(json)) return outcome;
  return maskCardNumbers(json) === json ? outcome : masked(outcome);
}

/** Checks are words of our own, and what an action is made of goes to the customer as it came. */
function masked(outcome: Outcome | LookUp): Outcome | LookUp {
  switch (outcome.kind) {
    case 'succeeded': {
      const { processorTransactionId, currencyCode } = outcome;
      return { ...outcome, processorTransactionId: maskedText(processorTransactionId), currencyCode: maskedText(currencyCode) };
    }
    case 'declined':
      return { ...outcome, code: maskedText(outcome.code), ...maskedName(outcome) };
    case 'requires_action':
      return { ...outcome, processorTransactionId: maskedText(outcome.processorTransactionId) };
    case 'pending':
      return { ...outcome, ...maskedName(outcome) };
    case 'not_sent':
    case 'unknown':
    case 'unreachable':
      return { ...outcome, detail: maskedText(outcome.detail) };
    case 'not_found':
      return outcome;
    default:
      return outcome satisfies never;
  }
}

const maskedName = ({ processorTransactionId: name }: { readonly processorTransactionId?: string | undefined }): object =>
  name === undefined ? {} : { processorTransactionId: maskedText(name) };
