// The tries of a card that its network counts against the merchant, over all connections and agreements: one stream for
// each card of an account, of which the time of the longest limit is folded. A card without a decline has no stream:
// nothing is counted, and nothing is written (contract §14).
import { z } from 'zod';
import { category, event } from '../category.ts';
import { accept, type Decider, type Decision, type Rejection, reject } from '../decider.ts';
import { LONGEST_LIMIT_MS, TRY_LIMITS } from './network-rules.ts';

const tried = {
  accountId: z.string(),
  paymentId: z.string(),
  network: z.string(),
  /** Minor units. */
  amount: z.number(),
  currencyCode: z.string(),
};
const Claimed = z.strictObject({
  ...tried,
  /** How many connections may be asked for it. */
  mostTries: z.number(),
  /** ms, business time */
  claimedAt: z.number(),
});
const Answered = z.strictObject({
  ...tried,
  /** How often the network declined it; 0 where it was approved, or never asked. */
  declines: z.number(),
  /** The network takes no further try with the card. */
  isLast: z.literal(true).optional(),
  code: z.string().optional(),
  answeredAt: z.number(),
});

export const retryLedgerCategory = category(
  'retryLedger',
  z.discriminatedUnion('type', [
    /** On record before the network is asked, so that two nodes cannot both take the last place. */
    event('NetworkTryClaimed', Claimed),
    event('NetworkTryAnswered', Answered),
  ]),
);
export type RetryLedgerEvent = z.infer<typeof retryLedgerCategory.event>;
type NetworkClaim = z.infer<typeof Claimed>;
type NetworkAnswer = z.infer<typeof Answered>;

interface CountedTry {
  readonly paymentId: string;
  readonly amount: number;
  readonly currencyCode: string;
  /** ms */
  readonly at: number;
  /** What it counts: of an open one, what it may still come to. */
  readonly declines: number;
  readonly isOpen: boolean;
}

interface KnownLedger {
  readonly status: 'kept';
  readonly tries: readonly CountedTry[];
  /** The payment of which the network has said that the card is never to be tried again. */
  readonly endedBy?: string;
}
export type RetryLedger = { readonly status: 'absent' } | KnownLedger;

export const retryLedger: Decider<RetryLedger, RetryLedgerEvent> = {
  category: retryLedgerCategory,
  initial: { status: 'absent' },
  evolve(before, { type, data }) {
    const { tries, ...others }: KnownLedger = before.status === 'absent' ? { status: 'kept', tries: [] } : before;
    const { paymentId, amount, currencyCode } = data;
    const isAnswer = type === 'NetworkTryAnswered';
    const at = isAnswer ? data.answeredAt : data.claimedAt;
    const counted = {
      paymentId,
      amount,
      currencyCode,
      at,
      declines: isAnswer ? data.declines : data.mostTries,
      isOpen: !isAnswer,
    };
    const kept = tries.filter((one) => one.paymentId !== paymentId && one.at > at - LONGEST_LIMIT_MS);
    const ended = isAnswer && data.isLast ? { endedBy: paymentId } : {};
    return { ...others, tries: [...kept, counted], ...ended };
  },
};

/**
 * Claims a try before it reaches the network; nothing to record where the card has no decline that counts. Rejects with
 * RetryNotAllowed: until when, or for ever.
 */
export const claimTry =
  (claim: NetworkClaim) =>
  (ledger: RetryLedger): Decision<RetryLedgerEvent> => {
    if (ledger.status === 'absent') return accept();
    if (ledger.endedBy !== undefined) return endedCard(ledger.endedBy);
    const { paymentId, claimedAt: at } = claim;
    if (ledger.tries.some((one) => one.paymentId === paymentId)) return accept();
    const freeAt = Math.max(...TRY_LIMITS.map((limit) => roomAt(limit, ledger, claim)), at);
    if (freeAt > at) return exhausted(freeAt);
    return recent(ledger, at, LONGEST_LIMIT_MS).length === 0
      ? accept()
      : accept({ type: 'NetworkTryClaimed', data: claim });
  };

const recent = ({ tries }: KnownLedger, at: number, withinMs: number): readonly CountedTry[] =>
  tries.filter((one) => one.at > at - withinMs && one.declines > 0);

/** When a limit leaves room for the claim, ms: the tries that fill it are old enough then. */
function roomAt(
  { network, most, withinMs, sameAmount }: (typeof TRY_LIMITS)[number],
  ledger: KnownLedger,
  { network: ofCard, amount, currencyCode, mostTries, claimedAt: at }: NetworkClaim,
): number {
  if (network !== ofCard) return at;
  const counted = recent(ledger, at, withinMs).filter(
    (one) => sameAmount !== true || (one.amount === amount && one.currencyCode === currencyCode),
  );
  let count = counted.reduce((sum, { declines }) => sum + declines, 0);
  for (const one of counted) {
    if (count + mostTries <= most) return at;
    count -= one.declines;
    if (count + mostTries <= most) return one.at + withinMs;
  }
  return at;
}

const exhausted = (notBefore: number): Rejection =>
  reject('RetryNotAllowed', 'The card network allows no further try with this card yet.', {
    notBefore,
    because: 'NETWORK_LIMIT',
  });

const endedCard = (paymentId: string): Rejection =>
  reject('RetryNotAllowed', 'The card network allows no further try with this card. Ask for another payment method.', {
    paymentId,
    because: 'NETWORK_FORBIDS',
  });

/** Records what the network answered, once; nothing where nothing is counted. */
export const answerTry =
  (answer: NetworkAnswer) =>
  (ledger: RetryLedger): Decision<RetryLedgerEvent> => {
    const known =
      ledger.status === 'absent' ? undefined : ledger.tries.find((one) => one.paymentId === answer.paymentId);
    if (known === undefined ? answer.declines === 0 : !known.isOpen) return accept();
    return accept({ type: 'NetworkTryAnswered', data: answer });
  };
