// What a call to a processor leaves on record: what was sent, what came back, and what is known by it; no card number in any of it.

import { mayHoldCardNumber } from '../../domain/card-number-search.ts';
import { inCurrency } from '../../domain/in-currency.ts';
import { maskCardNumbers, maskedText } from '../../domain/mask-card-numbers.ts';
import type { Evidence, LookUp, Outcome, Sent } from '../../domain/payment/outcome.ts';
import type { OperationRequest } from '../../processors/processor.ts';

/** Neither the card's name at the processor nor anything that a person wrote is kept of a request. */
export function sentOf(request: OperationRequest): Sent {
  const { operation, reference, amount, currencyCode } = request;
  const named = operation !== 'authorization' && 'processorTransactionId' in request.authorization ? request.authorization : {};
  return {
    operation,
    reference,
    amount,
    currencyCode,
    ...named,
    ...(operation === 'capture' && { final: request.final }),
  };
}

/** Of a call that was made: what it was, and when (ms) it was sent. Undefined when nothing was sent. */
export interface Call {
  readonly sent: Sent;
  readonly sentAt: number;
}

/** `outcome` has passed `withoutCardNumbers`. */
export const evidenceOf = (source: 'answer' | 'lookup', outcome: Outcome | LookUp, call: Call | undefined): Evidence => ({
  source,
  ...call,
  received: outcome,
  detail: whatIsKnown(outcome),
});

/** In a sentence. */
export function whatIsKnown(outcome: Outcome | LookUp): string {
  switch (outcome.kind) {
    case 'succeeded':
      // The amount, because it may not be what was asked for; a void has none.
      return outcome.amount === 0
        ? 'The processor says that it was done.'
        : `The processor says that it was done: ${inCurrency(outcome.amount, outcome.currencyCode)}.`;
    case 'declined':
      return 'The processor says that it was refused.';
    case 'requires_action':
      return 'The processor waits for the customer.';
    case 'pending':
      return 'The processor has accepted it and tells later.';
    case 'not_sent':
      return `It never reached the processor: ${outcome.detail}.`;
    case 'unknown':
      return `What became of it is not known: ${outcome.detail}.`;
    case 'unreachable':
      return `The processor did not answer the look-up: ${outcome.detail}.`;
    case 'not_found':
      return 'The processor does not know the reference.';
    default:
      return outcome satisfies never;
  }
}

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
