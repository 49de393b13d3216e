// The answers of a shop to a dispute: evidence that wins, loses or is decided after months, or acceptance.
import type { Answer, Caller } from '../../src/commands/caller.ts';
import type { Payment } from '../../src/domain/payment/payment.ts';
import type { Service } from '../../src/service.ts';
import { type Random, weighted } from './random.ts';

export type AnswerTo = (
  service: Service,
  paymentId: string,
  disputeId: string,
  caller: Caller,
) => Promise<Answer<Payment>>;

const evidence =
  (text: string, submit = true): AnswerTo =>
  (service, paymentId, disputeId, caller) =>
    service.payments.submitEvidence(paymentId, disputeId, { text, submit }, caller);
const accept: AnswerTo = (service, paymentId, disputeId, caller) =>
  service.payments.acceptDispute(paymentId, disputeId, caller);

export const answerTo = (random: Random): AnswerTo =>
  weighted(random, [
    [3, evidence('We win this.')],
    [2, evidence('We lose this.')],
    [2, evidence('It was delivered.')],
    [1, evidence('Not sent yet.', false)],
    [3, accept],
  ]);
