// The caller's knowledge of a call that a fault strikes: graded by the answer, never by the effect.
import type { LookUp, Outcome } from '../../processor.ts';
import { otherCurrencyThan } from '../names.ts';
import type { Fault } from './fault.ts';

const NOT_SENT = 'connection refused';

const WHERE = {
  before_effect: 'before the answer',
  after_effect_before_reply: 'before the answer',
  during_reply: 'in the middle of the answer',
} as const;

/** A success with something else in it; whatever else it is stays as it is. */
function distorted<O extends Outcome | LookUp>(truth: O, fault: 'wrong_amount' | 'wrong_currency'): O {
  if (truth.kind !== 'succeeded') return truth;
  if (fault === 'wrong_currency') return { ...truth, currencyCode: otherCurrencyThan(truth.currencyCode) };
  // More than was asked for: a smaller capture would be believed (contract §4).
  return { ...truth, amount: truth.amount === Number.MAX_SAFE_INTEGER ? truth.amount - 1 : truth.amount + 1 };
}

/** `truth`: the answer without the fault; undefined when nothing was done. The caller itself waits for a hang. */
export function learntFrom<O extends Outcome | LookUp>(
  { phase, fault }: Fault,
  truth: O | undefined,
): O | { readonly kind: 'unknown' | 'not_sent'; readonly detail: string } {
  const unknown = (detail: string) => ({ kind: 'unknown' as const, detail });
  if (phase === 'after_reply' || fault === 'slow') return truth ?? unknown('nothing was done');
  if (phase === 'before_send') return { kind: 'not_sent', detail: notSentBy(fault) };
  switch (fault) {
    case 'reset':
      return unknown(`the connection broke ${WHERE[phase]}`);
    case '429':
    case '500':
    case '502':
    case '503':
      return unknown(`answered with status ${fault}`);
    case 'invalid_json':
      return unknown('its answer is not JSON');
    case 'unknown_status':
      return unknown('its answer has a status that does not exist');
    case 'wrong_id':
      return unknown('its answer is about another reference');
    case 'wrong_amount':
    case 'wrong_currency':
      return truth === undefined ? unknown('nothing was done') : distorted(truth, fault);
    case 'hang':
      return unknown('no answer before the deadline');
    case 'duplicate':
    case 'delay':
    case 'reorder':
    case 'drop':
    case 'bad_signature':
    case 'unknown_payment':
      return truth ?? unknown('nothing was done');
    default:
      return fault satisfies never;
  }
}

const notSentBy = (fault: Fault['fault']): string => (/^\d+$/.test(fault) ? `refused with status ${fault} before it was sent` : NOT_SENT);
