// counterfoil payments resolve: an operator resolves an unknown outcome manually, and names the evidence.
import type { Command } from 'commander';
import type { DisputeAnswerResolved } from '../../commands/payments/resolve-dispute-answer.ts';
import type { Resolved } from '../../commands/payments/resolve-payment.ts';
import { type CommonOptions, declare, STORE_SETTINGS } from '../command.ts';
import { WrongUsage } from '../exit.ts';
import { print, tell } from '../output.ts';

interface PaymentsResolveOptions extends CommonOptions {
  readonly as: string;
  readonly evidence: string;
  readonly attempt?: string;
  readonly transaction?: string;
}

export function paymentsResolve(parent: Command): void {
  declare(parent, {
    usage: 'resolve <id>',
    summary: 'Resolve an unknown outcome manually, as an event',
    examples: [
      'payments resolve pay_0123 --as succeeded --evidence "statement of 3 May, line 17" --transaction txn_987',
      'payments resolve pay_0123 --as failed --evidence "asked their support, ticket 4711"',
    ],
    settings: [...STORE_SETTINGS, 'sandboxUrl'],
  })
    .requiredOption(
      '--as <outcome>',
      'succeeded: it happened as requested; failed: it did not happen, or never arrived',
    )
    .requiredOption('--evidence <text>', 'the source of your knowledge, which is recorded permanently')
    .option(
      '--attempt <id>',
      'which attempt or dispute response, OVER_REFUNDED or DIFFERS, if several are open; `payments show` lists them',
    )
    .option('--transaction <id>', "the processor's own id of the success, if it is not recorded yet")
    .action(resolve);
}

const MOST_CHARACTERS = 1_000;

function outcomeIn(text: string): 'succeeded' | 'failed' {
  if (text === 'succeeded' || text === 'failed') return text;
  throw new WrongUsage(`--as is ${JSON.stringify(text)}: allowed is succeeded or failed.`);
}

function textIn(name: string, text: string, most: number): string {
  const length = [...text].length;
  if (text.trim() === '' || length > most) throw new WrongUsage(`${name} needs 1 to ${most} characters.`);
  if (/[\p{Surrogate}\0]/u.test(text)) throw new WrongUsage(`${name} holds characters that cannot be stored.`);
  return text;
}

async function resolve(named: string, options: PaymentsResolveOptions): Promise<void> {
  const as = outcomeIn(options.as);
  const evidence = textIn('--evidence', options.evidence, MOST_CHARACTERS);
  const transactionId =
    options.transaction === undefined ? undefined : textIn('--transaction', options.transaction, 255);
  if (as === 'failed' && transactionId !== undefined)
    throw new WrongUsage('--transaction belongs to a success and cannot be combined with --as failed.');
  const { withService } = await import('../open/with-stores.ts');
  const { Refused } = await import('../exit.ts');
  const { untilEffective } = await import('../effect.ts');
  const { payments } = await import('../../projections/models/payments.ts');
  const { wholeId } = await import('../whole-id.ts');
  await withService(options, async ({ service }) => {
    const id = await wholeId(service.readModels, named);
    const resolved = await service.payments.resolvePayment(id, {
      as,
      evidence,
      transactionId,
      attemptId: options.attempt,
    });
    if (resolved.kind === 'rejected') throw new Refused(resolved.description);
    if (resolved.kind === 'several') {
      const open = resolved.attempts.map(
        ({ attemptId, operation, amount, state }) => `  ${attemptId}  ${operation} of ${amount}, ${state}`,
      );
      for (const { dispute, answer } of resolved.answers)
        open.push(`  ${answer.answerId}  ${answer.kind} for the dispute of ${dispute.amount}, ${answer.state}`);
      open.push(...resolved.matters.map((matter) => `  ${matter}`));
      throw new WrongUsage(`${id} has several open attempts. Choose one with --attempt:\n${open.join('\n')}`);
    }
    if (resolved.kind === 'matter_closed') {
      const { matter, amount, folded } = resolved;
      await untilEffective(service, payments, { id, revision: folded.head.revision });
      const json = {
        paymentId: id,
        closed: matter,
        ...(amount !== undefined && { amount }),
        status: folded.state.status,
        version: folded.head.revision,
      };
      const by = amount === undefined ? '' : ` by ${amount}`;
      return print({ json, text: `${id} is no longer listed as ${matter}${by}.` }, options);
    }
    if (resolved.kind === 'answer_resolved') {
      await untilEffective(service, payments, { id, revision: resolved.folded.head.revision });
      return tellAnswer(id, as, resolved, options);
    }
    if (resolved.kind === 'told') {
      await untilEffective(service, payments, { id, revision: resolved.folded.head.revision });
      return tellWord(id, as, resolved, options);
    }
    const { attempt, isOwnReference, folded } = resolved;
    const { attemptId, operation } = attempt;
    const { revision } = folded.head;
    await untilEffective(service, payments, { id, revision });
    const { status } = folded.state;
    const ofProcessor = resolved.transactionId === undefined ? {} : { processorTransactionId: resolved.transactionId };
    const json = { paymentId: id, attemptId, operation, resolvedAs: as, ...ofProcessor, status, version: revision };
    print(
      { json, text: `The ${operation} ${attemptId} has ${as}, as you confirmed. Payment ${id} is ${status}.` },
      options,
    );
    if (isOwnReference)
      tell(
        `The processor's id of the ${operation} is not known, so our own reference is recorded in its place: ${attempt.reference}. Before the next operation, the service asks the processor for its id.`,
      );
  });
}

/** Throws Refused if the processor was asked first and contradicts the operator. */
async function tellAnswer(
  id: string,
  as: 'succeeded' | 'failed',
  { isTold, dispute, answer, folded }: DisputeAnswerResolved,
  options: PaymentsResolveOptions,
): Promise<void> {
  const { Refused } = await import('../exit.ts');
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
    return print(
      { json: { ...json, version }, text: `The ${what} ${became}, as you confirmed. The dispute is ${status}.` },
      options,
    );
  }
  const said = `The processor was asked first, and it reported that the ${what} is ${answer.state.replace('_', ' ')}. The dispute is ${status}.`;
  if ((answer.state === 'succeeded') !== (as === 'succeeded'))
    throw new Refused(`${said} That result was recorded; --as ${as} was not.`);
  print({ json: { ...json, byProcessor: true, version }, text: `${said} Your confirmation was not needed.` }, options);
}

/** The processor knew the outcome, and its report was accepted. Throws Refused if it contradicts the operator. */
async function tellWord(
  id: string,
  as: 'succeeded' | 'failed',
  { attempt, folded }: Extract<Resolved, { kind: 'told' }>,
  options: PaymentsResolveOptions,
): Promise<void> {
  const { Refused } = await import('../exit.ts');
  const { attemptId, operation, state } = attempt;
  const { status } = folded.state;
  const said = `The processor was asked first, and it reported that the ${operation} ${attemptId} is ${state.replace('_', ' ')}. Payment ${id} is ${status}.`;
  if ((state === 'succeeded') !== (as === 'succeeded'))
    throw new Refused(`${said} That result was recorded; --as ${as} was not.`);
  const json = {
    paymentId: id,
    attemptId,
    operation,
    resolvedAs: as,
    byProcessor: true,
    status,
    version: folded.head.revision,
  };
  print({ json, text: `${said} Your confirmation was not needed.` }, options);
}
