// 3-D Secure in the sandbox: which authorizations ask for it, the challenge that a customer passes or fails, and its
// end.
import { METHODS } from '../../domain/payment-method.ts';
import type { OperationRequest } from '../processor.ts';
import type { Card } from './card.ts';
import { cardOfId } from './cards.ts';
import { type Entry, isWaiting, type ThreeDSecure } from './entry.ts';
import { transactionIdOf } from './names.ts';

/** Where a customer would be challenged: the page's unguessable id, and its URL. */
export interface ChallengePage {
  readonly id: string;
  readonly url: string;
}

/** Every node that knows the sandbox shows the page. `publicUrl`: under which browsers reach the node. */
export const challengePageAt = (id: string, publicUrl: string): ChallengePage => ({
  id,
  url: `${publicUrl}/checkout/sandbox-acs/${id}`,
});

type First = Pick<Entry, 'amount' | 'result' | 'declineCode' | 'challenge'>;

/**
 * The step before the issuer is asked: a decline that requires an authentication, or a challenge. Undefined if there is
 * none. `isAuthenticated`: an earlier payment with this token was authenticated and approved, so later ones need no
 * customer.
 */
export function authenticatedFirst(
  request: OperationRequest,
  card: Card | undefined,
  page: ChallengePage | undefined,
  isAuthenticated: boolean,
): First | undefined {
  if (request.operation !== 'authorization') return undefined;
  const { amount, returnUrl, threeDSecure, processorToken, agreement } = request;
  const { authentication, demanded, absent, absentUnlessLinked } = card?.on.authorization ?? {};
  if (request.offSession) {
    const isAsked = authentication !== undefined || demanded === true;
    const isLinked = absentUnlessLinked === true && agreement?.transactionLinkId !== undefined;
    if (absent !== undefined && !isLinked) return { amount, result: 'declined', declineCode: absent };
    return isAsked && !isAuthenticated
      ? { amount, result: 'declined', declineCode: 'AUTHENTICATION_REQUIRED' }
      : undefined;
  }
  if (demanded && threeDSecure !== 'ask') return { amount, result: 'declined', declineCode: 'AUTHENTICATION_REQUIRED' };
  if (authentication !== 'challenge' || page === undefined) return undefined;
  return {
    amount,
    result: 'pending',
    challenge: { ...page, processorToken, ...(returnUrl !== undefined && { returnUrl }), state: 'waiting' },
  };
}

/** All cards that ask for it are Visa's: 05 is authenticated, 07 is not. */
const resultOf = (isAuthenticated: boolean, challengeIssued: boolean): ThreeDSecure => ({
  responseCode: isAuthenticated ? 'AUTH_SUCCESS' : 'AUTH_FAILED',
  protocolVersion: '2.2.0',
  challengeIssued,
  eci: isAuthenticated ? '05' : '07',
});

/** The customer was authenticated by what is known of the device: nobody had to do anything. */
export function withoutFriction(
  request: OperationRequest,
  card: Card | undefined,
): { readonly threeDSecure?: ThreeDSecure } {
  if (request.operation !== 'authorization' || request.offSession) return {};
  return card?.on.authorization?.authentication === 'frictionless' ? { threeDSecure: resultOf(true, false) } : {};
}

/**
 * Whether the customer was authenticated, and the payment approved: later ones with the same token need no customer.
 */
export const wasAuthenticated = ({ result, threeDSecure }: Entry): boolean =>
  result === 'succeeded' && threeDSecure?.responseCode === 'AUTH_SUCCESS';

/** How long after a challenge was answered a notification reports the end of its authorization, ms. */
export const ANSWER_NOTIFIED_AFTER_MS = 5_000;

/**
 * The entry after its customer has passed or failed the challenge, at `now` (ms); undefined if nobody can respond to
 * it, or nobody can any longer.
 */
export function challenged(entry: Entry, isApproved: boolean, now: number): Entry | undefined {
  const { challenge } = entry;
  const row = cardOfId(entry.card ?? '');
  const isVoucher = row?.method !== undefined && METHODS[row.method].action === 'show';
  // a voucher's numbers can be paid after everybody has given it up
  if (challenge === undefined || !(isWaiting(entry) || (isVoucher && challenge.state === 'fenced'))) return undefined;
  const answer = row?.on.authorization?.answer;
  const refused = row?.method === undefined ? 'AUTHENTICATION_FAILED' : 'GENERIC_DECLINE';
  const code = isApproved ? (answer?.kind === 'decline' ? answer.code : undefined) : refused;
  return {
    ...entry,
    challenge: { ...challenge, state: isApproved ? 'approved' : 'failed' },
    ...(row?.method === undefined && { threeDSecure: resultOf(isApproved, true) }),
    at: now,
    result: code === undefined ? 'succeeded' : 'declined',
    ...(code !== undefined && { declineCode: code }),
  };
}

/** In the place of an operation that was fenced and has not arrived yet: it takes the reference. */
export function fencedUnseen(request: OperationRequest, now: number): Entry {
  const { reference, operation, accountId, paymentId, amount, currencyCode } = request;
  const transactionId = transactionIdOf(operation, reference);
  return {
    reference,
    operation,
    accountId,
    paymentId,
    authorizationId: transactionId,
    number: 0,
    transactionId,
    amount,
    currencyCode,
    final: false,
    at: now,
    result: 'declined',
    fenced: true,
  };
}

/**
 * The entry after the merchant has abandoned the challenge; undefined if it has ended, or never waited for a customer.
 */
export function fencedOff(entry: Entry, now: number): Entry | undefined {
  const { challenge } = entry;
  if (challenge === undefined || !isWaiting(entry)) return undefined;
  return {
    ...entry,
    challenge: { ...challenge, state: 'fenced' },
    at: now,
    result: 'declined',
    declineCode: 'AUTHENTICATION_FAILED',
  };
}
