// The evidence of a call to a processor besides its outcome; it holds no card number.
import { maskCardNumbers, maskedText } from '../../domain/card-number/mask.ts';
import { mayHoldCardNumber } from '../../domain/card-number/search.ts';
import type { Evidence, LookUp, Outcome, Preparation, TakenBack } from '../../domain/payment/outcome.ts';

/** The time (ms) at which a call was sent. Undefined if nothing was sent. */
export interface SentCall {
  readonly sentAt: number;
}

/** What a processor may answer to any call about an operation. */
type ProcessorAnswer = Outcome | LookUp | Preparation | TakenBack;

/**
 * The evidence of an answer or a look-up. `outcome` has passed `withoutCardNumbers`; the text of a network fault is
 * kept.
 */
export const evidenceOf = (
  source: 'answer' | 'lookup',
  outcome: ProcessorAnswer,
  call: SentCall | undefined,
): Evidence => ({
  source,
  ...call,
  ...('detail' in outcome && { detail: outcome.detail }),
});

/**
 * Masks the card numbers in the texts of an outcome; almost always returns the same object. An outcome is never refused
 * for its text. Checks are words of our own, and the data of an action goes to the customer unchanged.
 */
export function withoutCardNumbers<T extends ProcessorAnswer>(outcome: T): T {
  const json = JSON.stringify(outcome);
  if (!json.includes('\\') && !mayHoldCardNumber(json)) return outcome;
  if (maskCardNumbers(json) === json) return outcome;
  const texts = Object.entries(outcome).filter(([name, value]) => TEXTS.has(name) && typeof value === 'string');
  return { ...outcome, ...Object.fromEntries(texts.map(([name, value]) => [name, maskedText(String(value))])) };
}

const TEXTS: ReadonlySet<string> = new Set(['processorTransactionId', 'currencyCode', 'code', 'networkCode', 'detail']);
