// A call to a processor that has ended, as operators see it: without amounts, secrets and card numbers.
import { maskedText } from '../../domain/card-number/mask.ts';

export interface EndedCall {
  /** An operation of a payment, or another call: "look-up". */
  readonly what: string;
  /** When it was sent; ms, business time. */
  readonly at: number;
  readonly tookMs: number;
  /** The outcome's kind, as the processor port grades it. */
  readonly outcome: string;
  /** The reason of a refusal. */
  readonly code?: string | undefined;
  /** The words of a failure; the processor's id of the request is among them if the processor gave one. */
  readonly detail?: string | undefined;
  readonly processorTransactionId?: string | undefined;
}

/** The outcome of a call, or of a tokenization, which is refused with a description. */
interface EndedOutcome {
  readonly kind: string;
  readonly code?: string | undefined;
  readonly detail?: string | undefined;
  readonly description?: string | undefined;
  readonly processorTransactionId?: string | undefined;
}

/** The members of an outcome that operators see; nothing else of it is kept. */
export const endedCall = (made: Pick<EndedCall, 'what' | 'at' | 'tookMs'>, told: EndedOutcome): EndedCall => ({
  ...made,
  outcome: told.kind,
  code: told.code,
  detail: told.detail ?? told.description,
  processorTransactionId: told.processorTransactionId,
});

/** Longer words of a processor are cut. */
const MOST_CHARACTERS = 300;

const shown = (text: string | undefined): string | undefined => text && maskedText(text).slice(0, MOST_CHARACTERS);

/** The call with its texts masked and cut: most calls are never looked at. */
export const shownCall = (call: EndedCall): EndedCall => ({
  ...call,
  code: shown(call.code),
  detail: shown(call.detail),
  processorTransactionId: shown(call.processorTransactionId),
});
