// `?dryRun=true` on the operations of a payment: the answer is what they would do (contract §4).
import { z } from 'zod';
import type { DryRun } from '../../commands/payments/dry-run.ts';
import type { Rejection } from '../../domain/decider.ts';
import { DryRunAnswer, dryRunAnswer } from '../answers/dry-run.ts';
import { PaymentAnswer } from '../answers/payment.ts';
import { found, type HandlerCall, type Reply } from '../route.ts';

const dryRun = z
  .preprocess(
    (sent) => (sent === 'true' ? true : sent === 'false' ? false : sent),
    z.boolean({ error: 'Must be true or false.' }),
  )
  .optional()
  .meta({ description: 'True: only says what the call would do. Nothing is written or sent, no key is remembered.' });

export const DryRunQuery = z.strictObject({ dryRun });
export const PaymentOrDryRun = z.union([PaymentAnswer, DryRunAnswer]);

/** `model` names what violations are about, as in the errors of the call itself. */
export const triedOut = (
  tried: DryRun | Rejection,
  { caller: { requestId } }: Pick<HandlerCall, 'caller'>,
  model: string,
): Reply<DryRunAnswer> | Rejection => ('kind' in tried ? tried : found(dryRunAnswer(tried, { requestId, model })));
