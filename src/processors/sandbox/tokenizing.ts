// A card becomes a token of the sandbox: only a test card does, and its number is kept nowhere.
import type { Unknown } from '../../domain/payment/outcome.ts';
import { StoreUnavailable } from '../../stores/store-unavailable.ts';
import { parseTime } from '../../world.ts';
import { cardDataOf } from '../card-data.ts';
import type { TokenizationRequest, Tokenized } from '../processor.ts';
import { cardOfNumber } from './cards.ts';
import { cvcResultOf } from './checks.ts';
import { isBefore } from './faults/fault-table.ts';
import { isAnswered, learntFrom } from './faults/learning.ts';
import { tokenOf } from './names.ts';
import { type Sender, takeTime, unlessAborted } from './performing.ts';

const refused = (description: string): Tokenized => ({ kind: 'refused', description });

/** Throws StoreUnavailable if a rule makes it fail, and the faults of Ledger.write. */
export async function tokenized(
  { reference, accountId, from }: TokenizationRequest,
  { ledger, world }: Sender,
  signal: AbortSignal,
): Promise<Tokenized> {
  signal.throwIfAborted();
  if ('fieldToken' in from) return refused('The sandbox has no hosted fields that create tokens.');
  const { card } = from;
  const row = cardOfNumber(card.number);
  if (row === undefined) return refused('The sandbox accepts only its test cards. GET /sandbox/scenarios lists them.');
  const expiresAt = endOf(card.expirationMonth, card.expirationYear);
  if (expiresAt === undefined) return refused('The expiry must be a month and a year.');
  if (expiresAt <= world.now()) return refused('The card has expired.');
  const processorToken = tokenOf(accountId, reference);
  const fault = await ledger.write('keepCard', processorToken, accountId, row.id, cvcResultOf(card.cvc));
  if (fault !== undefined) {
    await unlessAborted(signal, () => undefined, takeTime(world, fault, signal));
    const { kind, detail } = learntFrom<Unknown>(fault);
    if (signal.aborted || !isAnswered(fault))
      throw new StoreUnavailable(`The sandbox cannot be used: ${detail}`, { outcomeUnknown: kind === 'unknown' });
    if (isBefore(fault)) await ledger.write('keepCard', processorToken, accountId, row.id, cvcResultOf(card.cvc), true);
  }
  return { kind: 'token', processorToken, card: cardDataOf(card) };
}

/** The first moment (ms) at which a card is no longer valid; the year has two digits or four. */
function endOf(month: string, year: string): number | undefined {
  if (!/^(0?[1-9]|1[0-2])$/.test(month) || !/^(\d{2}|20\d{2})$/.test(year)) return undefined;
  const months = Number(year.slice(-2)) * 12 + Number(month);
  const [nextYear, nextMonth] = [2_000 + Math.floor(months / 12), (months % 12) + 1];
  return parseTime(`${nextYear}-${String(nextMonth).padStart(2, '0')}-01T00:00:00Z`);
}
