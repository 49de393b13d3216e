// The work of counterfoil payments resolve: an operator resolves an unknown outcome manually, and names the evidence.
import type { DisputeAnswerResolved, Resolved } from '../../commands/payments/resolve-payment.ts';
import { inCurrency } from '../../domain/money.ts';
import { isKnown } from '../../domain/payment/queries.ts';
import { payments } from '../../projections/models/payments.ts';
import type { GivenValues } from '../command.ts';
import { untilEffective } from '../effect.ts';
import { Refused, WrongUsage } from '../exit.ts';
import { wholeId } from '../named.ts';
import type { Opened } from '../open/open.ts';
import type { CommandResult } from '../output.ts';
import type { payments as rows } from '../rows/payments.ts';

type ChosenOutcome = 'succeeded' | 'failed';

export async function resolve(given: GivenValues<typeof rows.resolve>, { service }: Opened): Promise<CommandResult> {
  const { as, evidence, transaction: transactionId, attempt: attemptId } = given;
  const id = await wholeId(service.readModels, given.id);
  const resolved = await service.payments.resolvePayment(id, { as, evidence, transactionId, attemptId });
  if (resolved.kind === 'rejected') throw new Refused(resolved.description, resolved.errorId);
  if (resolved.kind === 'several') throw new WrongUsage(severalIn(id, resolved));
  await untilEffective(service, payments, { id, revision: resolved.folded.head.revision });
  switch (resolved.kind) {
    case 'matter_closed':
      return closedMatter(id, resolved);
    case 'answer_resolved':
      return resolvedAnswer(id, as, resolved);
    case 'told':
      return toldOutcome(id, as, resolved);
    case 'resolved':
      return resolvedAttempt(id, as, resolved);
    default:
      return resolved satisfies never;
  }
}

type Of<Kind extends string> = Extract<Resolved, { readonly kind: Kind }>;

function severalIn(id: string, { currencyCode, attempts, answers, matters }: Of<'several'>): string {
  const open = [
    ...attempts.map(
      ({ attemptId, operation, amount, state }) =>
        `  ${attemptId}  ${operation} of ${inCurrency(amount, currencyCode)}, ${state}`,
    ),
    ...answers.map(
      ({ dispute: { amount, currencyCode: disputedIn }, answer }) =>
        `  ${answer.answerId}  ${answer.kind} for the dispute of ${inCurrency(amount, disputedIn)}, ${answer.state}`,
    ),
    ...matters.map((matter) => `  ${matter}`),
  ];
  return `${id} has several open attempts. Choose one with --attempt:\n${open.join('\n')}`;
}

function closedMatter(id: string, { matter, amount, folded }: Of<'matter_closed'>): CommandResult {
  const { state } = folded;
  const json = {
    paymentId: id,
    closed: matter,
    ...(amount !== undefined && { amount }),
    status: state.status,
    version: folded.head.revision,
  };
  const by = amount === undefined || !isKnown(state) ? '' : ` by ${inCurrency(amount, state.currencyCode)}`;
  return { json, text: `${id} is no longer listed as ${matter}${by}.` };
}

function resolvedAttempt(
  id: string,
  as: ChosenOutcome,
  { attempt, isOwnReference, folded, transactionId }: Of<'resolved'>,
): CommandResult {
  const { attemptId, operation } = attempt;
  const { status } = folded.state;
  const json = {
    paymentId: id,
    attemptId,
    operation,
    resolvedAs: as,
    ...(transactionId !== undefined && { processorTransactionId: transactionId }),
    status,
    version: folded.head.revision,
  };
  const ownReference = `The processor's id of the ${operation} is not known, so our own reference is recorded in its place: ${attempt.reference}. Before the next operation, the service asks the processor for its id.`;
  return {
    json,
    text: `The ${operation} ${attemptId} has ${as}, as you confirmed. Payment ${id} is ${status}.`,
    warnings: isOwnReference ? [ownReference] : [],
  };
}

/** Throws Refused if the processor was asked first and contradicts the operator. */
function resolvedAnswer(
  id: string,
  as: ChosenOutcome,
  { isTold, dispute, answer, folded }: DisputeAnswerResolved,
): CommandResult {
  const { disputeId, status } = dispute;
  const what = `${answer.kind} for the dispute ${disputeId}`;
  const json = {
    paymentId: id,
    disputeId,
    answerId: answer.answerId,
    answer: answer.kind,
    resolvedAs: as,
    disputeStatus: status,
  };
  const version = folded.head.revision;
  if (!isTold) {
    const became = as === 'succeeded' ? 'has arrived' : 'never arrived';
    return {
      json: { ...json, version },
      text: `The ${what} ${became}, as you confirmed. The dispute is ${status}.`,
    };
  }
  const said = `The processor was asked first, and it reported that the ${what} is ${answer.state.replace('_', ' ')}. The dispute is ${status}.`;
  mustAgree(said, answer.state, as);
  return { json: { ...json, byProcessor: true, version }, text: `${said} Your confirmation was not needed.` };
}

/** The processor knew the outcome, and its report was accepted. Throws Refused if it contradicts the operator. */
function toldOutcome(id: string, as: ChosenOutcome, { attempt, folded }: Of<'told'>): CommandResult {
  const { attemptId, operation, state } = attempt;
  const { status } = folded.state;
  const said = `The processor was asked first, and it reported that the ${operation} ${attemptId} is ${state.replace('_', ' ')}. Payment ${id} is ${status}.`;
  mustAgree(said, state, as);
  const json = {
    paymentId: id,
    attemptId,
    operation,
    resolvedAs: as,
    byProcessor: true,
    status,
    version: folded.head.revision,
  };
  return { json, text: `${said} Your confirmation was not needed.` };
}

function mustAgree(said: string, state: string, as: ChosenOutcome): void {
  if ((state === 'succeeded') !== (as === 'succeeded'))
    throw new Refused(`${said} That result was recorded; --as ${as} was not.`);
}
