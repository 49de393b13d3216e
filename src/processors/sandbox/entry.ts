// One operation in the sandbox's ledger, and its state at a moment of business time.
import { z } from 'zod';
import { Check, type CustomerAction, type LookUp, type Outcome } from '../../domain/payment/outcome.ts';
import { METHODS } from '../../domain/payment-method.ts';
import { AGREEMENT_KINDS, OPERATIONS } from '../processor.ts';
import { declineTypeOf } from './card.ts';
import { cardOfId, isMastercard, takesMoneyAtOnce } from './cards.ts';
import { networkNamesOf } from './names.ts';

/** The result of an authentication, in the words that merchants know. */
export const ThreeDSecure = z.object({
  responseCode: z.enum(['AUTH_SUCCESS', 'AUTH_FAILED']),
  protocolVersion: z.string(),
  /** True if the customer had to do something. */
  challengeIssued: z.boolean(),
  /** The electronic commerce indicator of the card's network. */
  eci: z.string(),
});
export type ThreeDSecure = z.infer<typeof ThreeDSecure>;

/** What a network is told by a charge without the customer. */
export const AbsentUse = z.strictObject({
  processorToken: z.string(),
  /** The kind of the agreement that it charges. */
  kind: z.enum(AGREEMENT_KINDS).exactOptional(),
  /** Its own names of the payment with which the agreement began. */
  networkTransactionId: z.string().exactOptional(),
  transactionLinkId: z.string().exactOptional(),
});

/** As stored. Time passes without a write: a pending operation becomes `settles.as` when `settles.at` is reached. */
export const Entry = z.strictObject({
  reference: z.string(),
  operation: z.enum(OPERATIONS),
  accountId: z.string(),
  paymentId: z.string(),
  /** The authorization that it belongs to; an authorization, or an operation that named none, belongs to itself. */
  authorizationId: z.string(),
  /** Its place among the operations of that authorization, from 0. */
  number: z.int().min(0),
  /** The processor's own name for this operation. */
  transactionId: z.string(),
  /** The row of the table of cards; absent if the request named nothing that is known here. */
  card: z.string().optional(),
  /** Minor units: of the effect, which may be less than the request. */
  amount: z.int().min(0),
  currencyCode: z.string(),
  /** capture: nothing of the authorization is left afterwards. */
  final: z.boolean(),
  at: z.int(),
  result: z.enum(['succeeded', 'declined', 'pending']),
  settles: z.strictObject({ at: z.int(), as: z.enum(['succeeded', 'declined']), notified: z.boolean() }).optional(),
  /** The customer has to pass a page of ours before the issuer is asked. */
  challenge: z
    .strictObject({
      /** Unguessable: it is all that an answer needs. */
      id: z.string(),
      url: z.string(),
      /** The token of the card; absent in an entry of an earlier version. */
      processorToken: z.string().optional(),
      /** Where the customer goes afterwards; absent if the request named no place. */
      returnUrl: z.string().optional(),
      /** fenced: nobody can respond any longer. */
      state: z.enum(['waiting', 'approved', 'failed', 'fenced']),
    })
    .optional(),
  /** An authorization that keeps its card: the network names it, so that later ones can refer to it. */
  keeps: z.literal(true).optional(),
  /** An authorization without its customer; absent in an entry of an earlier version, too. */
  absent: AbsentUse.optional(),
  /** The result of the customer's authentication. */
  threeDSecure: ThreeDSecure.optional(),
  /** Until then look-ups say "not found" about it. */
  hiddenUntil: z.int().optional(),
  /** An authorization: the rest that is not captured by then is released. */
  holdExpiresAt: z.int().optional(),
  /** An authorization: the checks of address and security code. */
  avsResult: Check.optional(),
  cvcResult: Check.optional(),
  /** Why it was, or will have been, declined: the issuer's code, or the rule of the acquirer. */
  declineCode: z.string().optional(),
  /** It was fenced before it arrived, so it never takes effect, and nobody finds it. */
  fenced: z.literal(true).optional(),
});
export type Entry = z.infer<typeof Entry>;

export const resultAt = ({ result, settles }: Entry, now: number): Entry['result'] =>
  settles !== undefined && settles.at <= now ? settles.as : result;

/** True if the customer has something to do. */
export const isWaiting = ({ challenge }: Entry): boolean => challenge?.state === 'waiting';

export const isHidden = ({ hiddenUntil }: Entry, now: number): boolean =>
  hiddenUntil !== undefined && now < hiddenUntil;

/** A voucher can be paid in time for so long, ms. */
const VOUCHER_MS = 3 * 86_400_000;

/** What its customer does: a page to go to, or a voucher with the page on which the sandbox lets it be paid. */
function actionOf({ card, at, transactionId }: Entry, url: string): CustomerAction {
  const method = cardOfId(card ?? '')?.method;
  if (method === undefined || METHODS[method].action !== 'show') return { kind: 'redirect', url };
  const reference = String(Number.parseInt(transactionId.slice(-8), 16) % 1_000_000_000).padStart(9, '0');
  return { kind: 'show', data: { entity: '12345', reference, url }, expiresAt: at + VOUCHER_MS };
}

/**
 * The caller's answer about an operation at a moment; checks of address and security code come with an authorization.
 * One that was fenced while it waited for its customer still waits, and never takes effect: a look-up has to say so
 * after a fence whose answer was lost.
 */
export function outcomeAt(entry: Entry, now: number): Outcome & LookUp {
  const { transactionId: processorTransactionId, amount, currencyCode } = entry;
  const { challenge } = entry;
  const asks = challenge?.state === 'fenced' || challenge?.state === 'waiting' ? challenge : undefined;
  if (asks !== undefined) return { kind: 'requires_action', processorTransactionId, action: actionOf(entry, asks.url) };
  const result = resultAt(entry, now);
  switch (result) {
    case 'succeeded': {
      const done = { kind: 'succeeded', processorTransactionId, amount, currencyCode } as const;
      if (entry.operation !== 'authorization') return done;
      // an older entry has no checks
      const { holdExpiresAt, threeDSecure, avsResult = 'MATCH', cvcResult = 'MATCH' } = entry;
      const more = {
        ...(threeDSecure !== undefined && { threeDSecure }),
        ...(holdExpiresAt !== undefined && { holdExpiresAt }),
      };
      const card = cardOfId(entry.card ?? '');
      const isCard = card?.method === undefined;
      const checks = isCard ? { avsResult, cvcResult } : {};
      const names = isCard && entry.keeps === true ? networkNamesOf(processorTransactionId, isMastercard(card)) : {};
      const captured = takesMoneyAtOnce(entry.card) ? { captured: true as const } : {};
      return { ...done, authorization: { ...checks, ...names, ...more, ...captured } };
    }
    case 'declined': {
      const { declineCode: code = 'GENERIC_DECLINE', threeDSecure } = entry;
      const { absent, absentTold } = cardOfId(entry.card ?? '')?.on[entry.operation] ?? {};
      return {
        kind: 'declined',
        code,
        declineType: declineTypeOf(code),
        processorTransactionId,
        ...(code === absent && absentTold),
        ...(threeDSecure !== undefined && { threeDSecure }),
      };
    }
    case 'pending':
      return { kind: 'pending', processorTransactionId };
    default:
      return result satisfies never;
  }
}
