// The evidence of a call to a processor besides its outcome; it holds no card number.
import { maskCardNumbers, maskedText } from '../../domain/card-number/mask.ts';
import { mayHoldCardNumber } from '../../domain/card-number/search.ts';
import type { Evidence, LookUp, Outcome } from '../../domain/payment/outcome.ts';

/** The time (ms) at which a call was sent. Undefined if nothing was sent. */
export interface SentCall {
  readonly sentAt: number;
}

/**
 * The evidence of an answer or a look-up. `outcome` has passed `withoutCardNumbers`; the text of a network fault is
 * kept.
 */
export const evidenceOf = (
  source: 'answer' | 'lookup',
  outcome: Outcome | LookUp,
  call: SentCall | undefined,
): Evidence => ({
  source,
  ...call,
  ...('detail' in outcome && { detail: outcome.detail }),
});

/**
 * Masks the card numbers in the texts of an outcome; almost always returns the same object. An outcome is never refused
 * for its text.
 */
export function withoutCardNumbers(outcome: Outcome): Outcome;
export function withoutCardNumbers(outcome: LookUp): LookUp;
export function withoutCardNumbers(outcome: Outcome | LookUp): Outcome | LookUp {
  const json = JSON.stringify(outcome);
  if (!json.includes('\\') && !mayHoldCardNumber(json)) return outcome;
  return maskCardNumbers(json) === json ? outcome : masked(outcome);
}

/** Checks are words of our own, and the data of an action goes to the customer unchanged. */
function masked(outcome: Outcome | LookUp): Outcome | LookUp {
  switch (outcome.kind) {
    case 'succeeded': {
      const { processorTransactionId, currencyCode } = outcome;
      return {
        ...outcome,
        processorTransactionId: maskedText(processorTransactionId),
        currencyCode: maskedText(currencyCode),
      };
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

const maskedName = ({
  processorTransactionId: name,
}: {
  readonly processorTransactionId?: string | undefined;
}): object => (name === undefined ? {} : { processorTransactionId: maskedText(name) });
