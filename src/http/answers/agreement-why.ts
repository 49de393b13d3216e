// GET /agreements/{id}/why (contract §14): the causal chain of an agreement. Each step is an event, with its words and
// the event that led to it; after the last one comes what is next.
import { z } from 'zod';
import { agreementWords, nextSteps } from '../../domain/agreement/event-words.ts';
import type { AgreementEvent } from '../../domain/agreement/events.ts';
import type { Agreement } from '../../domain/agreement/state.ts';
import type { AgreementStep, AgreementWhy } from '../../queries/read-agreement-why.ts';
import { formatTime } from '../../world.ts';
import { AgreementStatusName } from './agreement.ts';
import { answer, unlessEmpty } from './answer.ts';
import { Instant } from './shapes.ts';
import { STEP, stepOf, whoOf } from './why.ts';

const { id, type, words, ...others } = STEP;
const AgreementWhyStep = z
  .strictObject({
    id,
    kind: z.enum(['ASKED', 'DECIDED', 'ANSWERED']),
    type,
    words,
    revision: z.int().min(0),
    ...others,
    periodKey: z.string().optional(),
    paymentId: z.string().optional(),
    changed: z.strictObject({ from: AgreementStatusName.optional(), to: AgreementStatusName }).optional(),
  })
  .meta({ id: 'AgreementWhyStep' });
type AgreementWhyStep = z.infer<typeof AgreementWhyStep>;

const Next = z.strictObject({ periodKey: z.string().optional(), words: z.string(), at: Instant.optional() });

/** Without `nextCursor` there are no more, and `next` is there. */
export const AgreementWhyAnswer = z
  .strictObject({
    id: z.string(),
    status: AgreementStatusName,
    version: z.int().min(0),
    data: z.array(AgreementWhyStep),
    next: z.array(Next).min(1).optional(),
    nextCursor: z.string().optional(),
  })
  .meta({ id: 'AgreementWhy' });
export type AgreementWhyAnswer = z.infer<typeof AgreementWhyAnswer>;

/** `at`: now, ms. */
export function agreementWhyAnswer(why: AgreementWhy, at: number, nextCursor?: string): AgreementWhyAnswer {
  const { agreement, steps, known, names } = why;
  return {
    id: agreement.id,
    status: agreement.doc.status,
    version: agreement.revision,
    data: steps.map((step) => agreementWhyStep(step, known, names)),
    next: nextCursor === undefined ? unlessEmpty(nextSteps(agreement.doc, at).map(nextAnswer)) : undefined,
    nextCursor,
  };
}

const nextAnswer = (step: ReturnType<typeof nextSteps>[number]): z.infer<typeof Next> => answer(Next, step);

function agreementWhyStep(
  { one, before, after }: AgreementStep,
  known: ReadonlySet<string>,
  names: ReadonlyMap<string, string>,
): AgreementWhyStep {
  const { event, recorded } = one;
  const step = stepOf(one, known, names);
  const { data } = event;
  return {
    ...step,
    kind: kindOf(event, step.by.kind),
    words: agreementWords(event, whoOf(step.by), formatTime),
    revision: recorded.revision,
    ...('periodKey' in data && { periodKey: data.periodKey }),
    ...('paymentId' in data && { paymentId: data.paymentId }),
    changed: changeOf(before, after),
  };
}

/** Decisions of the service, even in the append of a request. */
const DECIDED: ReadonlySet<AgreementEvent['type']> = new Set([
  'AgreementActivated',
  'RetryPlanned',
  'RetryRefused',
  'AgreementSuspended',
  'AgreementEnded',
  'AgreementRevoked',
] as const);

function kindOf({ type: fact }: AgreementEvent, by: AgreementWhyStep['by']['kind']): AgreementWhyStep['kind'] {
  if (fact === 'ChargeSettled') return 'ANSWERED';
  return DECIDED.has(fact) || by === 'policy' ? 'DECIDED' : 'ASKED';
}

function changeOf(before: Agreement, after: Agreement): AgreementWhyStep['changed'] {
  if (after.status === 'absent' || before.status === after.status) return undefined;
  return { to: after.status, ...(before.status !== 'absent' && { from: before.status }) };
}
