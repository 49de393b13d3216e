// The caller's knowledge of a call that a fault strikes: graded by the answer, never by the effect.
import type { LookUp, NotSent, Outcome, Unknown } from '../../../domain/payment/outcome.ts';
import { otherCurrencyThan } from '../names.ts';
import { FAULTS, type Fault, type FaultName, STATUSES } from './fault-table.ts';

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
