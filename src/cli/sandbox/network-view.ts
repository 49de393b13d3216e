// What the card networks saw of charges without the customer, by the sandbox's own ledger: how often each card was
// tried, which names the tries carried, how near they came to a limit, and those that a network fines (contract §14).
// It counts the ledger again: what the service counted takes no part in it.
import { isKnown } from '../../domain/payment/queries.ts';
import { endsCard, type NetworkRefusal, TRY_LIMITS, wordOn } from '../../domain/retry-ledger/network-rules.ts';
import type { LedgerLine, Sandbox } from '../../processors/sandbox/sandbox-interface.ts';
import { payments } from '../../projections/models/payments.ts';
import type { ReadModels } from '../../stores/read-models.ts';

/** The declined tries that count for a limit of a network. */
export interface LimitSeen {
  readonly most: number;
  readonly withinMs: number;
  /** The most of them within the time. */
  readonly counted: number;
}

/** A try that the network did not allow any longer. */
interface FinedTry {
  readonly paymentId: string;
  readonly reference: string;
  /** ms */
  readonly at: number;
  readonly because: 'NETWORK_LIMIT' | 'NETWORK_FORBIDS';
}

export interface CardSeen {
  /** Ours, over all connections; the processor's where the payments are not on record. */
  readonly token: string;
  /** The id of the test card. */
  readonly card: string;
  /** Absent for a test card with numbers of several networks. */
  readonly network?: string | undefined;
  readonly tries: number;
  readonly declined: number;
  /** The tries that named the first payment: by the network's id of it, by Mastercard's link. */
  readonly named: number;
  readonly linked: number;
  readonly limits: readonly LimitSeen[];
  readonly fined: readonly FinedTry[];
}

interface NetworkViewNeeds {
  readonly sandbox: Pick<Sandbox, 'ledgerOf'>;
  readonly readModels: Pick<ReadModels, 'get'>;
}

type SeenTry = LedgerLine & { readonly network: NonNullable<LedgerLine['network']> };

const PAGE = 1_000;

/** `accountId`: of whose payments; all if it is missing. Throws faults of the stores and the ledger. */
export async function seenByNetworks(
  { sandbox, readModels }: NetworkViewNeeds,
  accountId: string | undefined,
): Promise<readonly CardSeen[]> {
  const cards = new Map<string, SeenTry[]>();
  for (let after: number | undefined = 0; after !== undefined; ) {
    const page: Awaited<ReturnType<Sandbox['ledgerOf']>> = await sandbox.ledgerOf(undefined, PAGE, after);
    const tries = page.lines.flatMap((line) =>
      line.network === undefined ? [] : [{ ...line, network: line.network }],
    );
    const ids = [...new Set(tries.map(({ paymentId }) => paymentId))];
    const found = ids.length === 0 ? [] : await readModels.get(payments, ids);
    const docs = new Map(found.flatMap(({ id, doc }) => (isKnown(doc) ? [[id, doc] as const] : [])));
    for (const one of tries) {
      const payment = docs.get(one.paymentId);
      if (accountId !== undefined && payment?.accountId !== accountId) continue;
      const token = payment?.paymentMethod.paymentMethodToken ?? one.network.processorToken;
      cards.set(token, [...(cards.get(token) ?? []), one]);
    }
    after = page.next;
  }
  return [...cards].map(([token, tries]) => cardSeen(token, tries));
}

function cardSeen(token: string, inOrder: readonly SeenTry[]): CardSeen {
  const tries = inOrder.toSorted((one, other) => one.at - other.at);
  const { card = '', name: network } = tries[0]?.network ?? {};
  const declined = tries.filter(isDeclined);
  const limits = TRY_LIMITS.filter((limit) => limit.network === network);
  const count = (has: (one: SeenTry['network']) => unknown): number =>
    tries.filter((one) => has(one.network) !== undefined).length;
  return {
    token,
    card,
    network,
    tries: tries.length,
    declined: declined.length,
    named: count(({ networkTransactionId }) => networkTransactionId),
    linked: count(({ transactionLinkId }) => transactionLinkId),
    limits: limits.map((limit) => ({
      most: limit.most,
      withinMs: limit.withinMs,
      counted: Math.max(0, ...declined.map((one, place) => countedBy(limit, declined.slice(0, place), one) + 1)),
    })),
    fined: tries.flatMap((one, place) => {
      const earlier = tries.slice(0, place).filter(isDeclined);
      const isForbidden = earlier.some((other) => endsCard(wordOn(refusalIn(other))));
      const isBeyond = limits.some((limit) => countedBy(limit, earlier, one) >= limit.most);
      if (!isForbidden && !isBeyond) return [];
      const { paymentId, reference, at } = one;
      return [{ paymentId, reference, at, because: isForbidden ? 'NETWORK_FORBIDS' : 'NETWORK_LIMIT' }];
    }),
  };
}

const isDeclined = ({ outcome }: SeenTry): boolean => outcome === 'declined';

/** The earlier declined tries that count for a limit when this one comes. */
const countedBy = (
  { withinMs, sameAmount }: (typeof TRY_LIMITS)[number],
  earlier: readonly SeenTry[],
  { at, amount, currencyCode }: SeenTry,
): number =>
  earlier.filter(
    (other) =>
      other.at > at - withinMs &&
      (sameAmount !== true || (other.amount === amount && other.currencyCode === currencyCode)),
  ).length;

const refusalIn = ({ network }: SeenTry): NetworkRefusal => ({
  network: network.name ?? '',
  code: network.code ?? '',
  declineType: 'SOFT',
  networkCode: network.networkCode,
  networkAdviceCode: network.networkAdviceCode,
});
