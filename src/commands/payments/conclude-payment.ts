// The consequences of a payment's new state in other streams: claims released, the card vaulted. Safe to repeat.
import { releaseSession } from '../../domain/client-session/decide.ts';
import { authorizationOf } from '../../domain/payment/attempt.ts';
import { recordVaulting } from '../../domain/payment/create.ts';
import type { KnownPayment, Payment } from '../../domain/payment/payment.ts';
import { givesTokenBack, isKnown, isOver, wantsVaulting } from '../../domain/payment/queries.ts';
import { keepToken, releaseInstrument } from '../../domain/payment-instrument/decide.ts';
import type { Context } from '../../journal/context.ts';
import type { Folded } from '../../journal/fold.ts';
import { transact } from '../../journal/transact.ts';
import { vaultFor } from '../instruments/vault-instrument.ts';
import type { ConcludeNeeds } from './needs.ts';
import { operationRequest } from './operation-request.ts';
import { askProcessor } from './processor-call.ts';

/**
 * Releases the claims of a payment that is over, and vaults the card of an authorized one that asked for it. Never
 * throws: a later command displaces a claim that was not released, and a policy finds vaulting that was not done.
 * Answers the payment with what this call recorded in it.
 */
export async function concludePayment(
  needs: ConcludeNeeds,
  paymentId: string,
  folded: Folded<Payment>,
  context: Context,
): Promise<Folded<Payment>> {
  const { state: payment } = folded;
  if (!isKnown(payment)) return folded;
  try {
    if (isOver(payment)) await giveBack(needs, paymentId, payment, context);
    if (wantsVaulting(payment))
      return (await vault(needs, paymentId, payment, folded.head.revision, context)) ?? folded;
  } catch (fault) {
    needs.report(fault);
  }
  return folded;
}

/** Releases session and token as far as the payment, which is over, holds them. Throws StoreUnavailable. */
export async function giveBack(
  needs: ConcludeNeeds,
  paymentId: string,
  payment: KnownPayment,
  context: Context,
): Promise<void> {
  if (payment.sessionId !== undefined)
    await transact(needs.sessions, payment.sessionId, context, releaseSession(paymentId));
  if (givesTokenBack(payment))
    await transact(needs.instruments, payment.paymentMethod.paymentMethodToken, context, releaseInstrument(paymentId));
}

/**
 * Asks the processor for the token under which it keeps a card, or another means, that it took for one payment, and
 * adds the token to the instrument. False while the processor does not say: the policy asks again for ten minutes. True
 * without such a token, too.
 */
async function addKeptToken(
  needs: ConcludeNeeds,
  paymentId: string,
  payment: KnownPayment,
  context: Context,
): Promise<boolean> {
  const token = payment.paymentMethod.paymentMethodToken;
  const attempt = authorizationOf(payment);
  const { state: instrument } = await needs.instruments.load(token);
  if (instrument.status === 'absent' || instrument.paysOnce !== true || attempt === undefined) return true;
  const { accountId } = payment;
  const { processor, connectionId } = attempt;
  const { kept } = (await needs.connections.processor(processor)) ?? {};
  const request = operationRequest(paymentId, payment, attempt);
  if (kept === undefined || request.operation !== 'authorization' || request.keeps !== true) return true;
  // Without an answer for so long the card is not saved, and that is on record: the policy asks every second.
  if (needs.world.now() - payment.dateUpdated > KEPT_UNTIL_MS) return true;
  if (!needs.circuits.wouldAdmit({ accountId, connectionId })) return false;
  const route = { processor, connectionId };
  const asked = { what: 'question for the kept card', accountId, patienceMs: KEPT_WITHIN_MS, isUncounted: true };
  const told = await askProcessor(needs, route, asked, (call) => kept(request, call));
  if (told.kind !== 'kept') return told.kind === 'not_found';
  const { kind: _answer, ...keptToken } = told;
  await transact(needs.instruments, token, context, keepToken({ processor, connectionId, ...keptToken }));
  return true;
}

/** The shopper waits for it. */
const KEPT_WITHIN_MS = 5_000;
const KEPT_UNTIL_MS = 600_000;

async function vault(
  needs: ConcludeNeeds,
  paymentId: string,
  payment: KnownPayment,
  revision: number,
  context: Context,
): Promise<Folded<Payment> | undefined> {
  const { customerId, paymentMethod } = payment;
  if (customerId === undefined || !(await addKeptToken(needs, paymentId, payment, context))) return undefined;
  const vaulted = await vaultFor(needs, paymentMethod.paymentMethodToken, { customerId, paymentId }, context);
  // lost races refuse nothing: the policy goes on
  if (vaulted.kind === 'rejected' && vaulted.errorId === 'Conflict') return undefined;
  const outcome = vaulted.kind === 'rejected' ? { refused: vaulted.errorId } : { paymentMethodToken: vaulted.id };
  const recorded = await transact(needs.payments, paymentId, context, recordVaulting(outcome));
  if (recorded.kind === 'written') return recorded.folded;
  // A repetition on another node was first: its record is part of both operations' answers.
  for await (const { event, metadata, recorded: place } of needs.payments.history(paymentId, revision)) {
    if (event.type === 'VaultingRecorded' && metadata.operationId === context.operationId)
      return needs.payments.at(paymentId, place.revision);
  }
  return undefined;
}
