// The ledger of a card's tries, before and after the network is asked (domain/retry-ledger).
import type { Rejection } from '../../domain/decider.ts';
import type { Attempt } from '../../domain/payment/attempt.ts';
import type { KnownPayment } from '../../domain/payment/payment.ts';
import { cardIn, type MethodData } from '../../domain/payment-instrument/recorded-data.ts';
import { answerTry, claimTry, type RetryLedger, type RetryLedgerEvent } from '../../domain/retry-ledger/ledger.ts';
import { endsCard, type NetworkRefusal, wordOn } from '../../domain/retry-ledger/network-rules.ts';
import type { Context } from '../../journal/context.ts';
import type { Streams } from '../../journal/streams.ts';
import { transact } from '../../journal/transact.ts';
import type { StoreKey } from '../../secrets.ts';
import type { World } from '../../world.ts';
import { aside } from '../effect.ts';
import type { PaymentNeeds } from './needs.ts';

export interface LedgerNeeds {
  readonly retryLedgers: Streams<RetryLedger, RetryLedgerEvent>;
  readonly storeKey: Pick<StoreKey, 'name'>;
  readonly mode: 'test' | 'live';
  readonly world: World;
}

/** What is charged: an instrument, or the method of a payment. */
interface Charged {
  readonly paymentMethodData: MethodData;
  /** The same for every instrument with this card; where the processor tells none, each instrument counts alone. */
  readonly fingerprint?: string | undefined;
}

interface CardOf {
  readonly ledgerId: string;
  readonly network: string;
}

/**
 * Undefined for other methods than cards: no network counts their tries. In test mode all developers share a few cards,
 * and each saved one counts alone.
 */
export function cardOf(
  { storeKey, mode }: Pick<LedgerNeeds, 'storeKey' | 'mode'>,
  accountId: string,
  { paymentMethodData, fingerprint }: Charged,
  token: string,
): CardOf | undefined {
  const network = cardIn(paymentMethodData)?.network;
  if (network === undefined) return undefined;
  const card = mode === 'live' ? (fingerprint ?? token) : token;
  return { ledgerId: storeKey.name('retry-ledger', `${accountId}\n${card}`), network };
}

interface NetworkTry {
  readonly paymentId: string;
  readonly paymentMethodToken: string;
  /** Minor units. */
  readonly amount: number;
  readonly currencyCode: string;
}

/** Claims a try at the network, before its period is claimed; RetryNotAllowed where the network's rules forbid it. */
export async function claimNetworkTry(
  needs: LedgerNeeds & Pick<PaymentNeeds, 'connections'>,
  { paymentMethodToken, ...tried }: NetworkTry,
  charged: Charged,
  context: Context,
): Promise<Rejection | undefined> {
  const { accountId, at } = context;
  const card = cardOf(needs, accountId, charged, paymentMethodToken);
  if (card === undefined) return undefined;
  const { ledgerId, network } = card;
  // one read for the many cards without a decline: a transaction reads twice before it records nothing
  if ((await needs.retryLedgers.load(ledgerId)).state.status === 'absent') return undefined;
  const mostTries = needs.connections.routingOf(accountId)?.rules.mostAttempts ?? 1;
  const claim = { ...tried, accountId, network, mostTries, claimedAt: at };
  const claimed = await transact(needs.retryLedgers, ledgerId, aside(context, needs.world), claimTry(claim));
  return claimed.kind === 'rejected' ? claimed : undefined;
}

/** Records in the card's ledger how often the network declined a payment that is over. Throws StoreUnavailable. */
export async function answerNetworkTry(
  needs: LedgerNeeds,
  paymentId: string,
  payment: KnownPayment,
  context: Context,
): Promise<void> {
  const { accountId, amount, currencyCode, paymentMethod } = payment;
  const card = cardOf(needs, accountId, paymentMethod, paymentMethod.paymentMethodToken);
  if (card === undefined) return;
  const { ledgerId, network } = card;
  const refusals = payment.attempts.flatMap((attempt) => refusalOf(network, attempt) ?? []);
  if (refusals.length === 0 && (await needs.retryLedgers.load(ledgerId)).state.status === 'absent') return;
  const last = refusals.at(-1);
  const answer = {
    accountId,
    paymentId,
    network,
    amount,
    currencyCode,
    declines: refusals.length,
    ...(refusals.some((refusal) => endsCard(wordOn(refusal))) && { isLast: true as const }),
    ...(last !== undefined && { code: last.code }),
    answeredAt: context.at,
  };
  await transact(needs.retryLedgers, ledgerId, aside(context, needs.world), answerTry(answer), { isFact: true });
}

/** What the network said of an authorization; undefined where it refused nothing, or was never asked. */
export function refusalOf(network: string, attempt: Attempt): NetworkRefusal | undefined {
  if (attempt.operation !== 'authorization' || attempt.state !== 'declined' || attempt.refused === true)
    return undefined;
  const { code, declineType, told } = attempt;
  return { network, code, declineType, ...told };
}
