// A card becomes a token of the sandbox: only a test card does, and its number is kept nowhere.
import { StoreUnavailable } from '../../stores/store-unavailable.ts';
import { parseTime } from '../../world.ts';
import { cardDataOf } from '../card-data.ts';
import type { TokenizationRequest, Tokenized, Unknown } from '../processor.ts';
import { cardOfNumber } from './cards.ts';
import type { Fault } from './faults/fault.ts';
import { learntFrom } from './faults/learning.ts';
import { tokenOf } from './names.ts';
import { type Sender, takeTime, unlessAborted } from './performing.ts';
import { isBefore } from './rules/fault-choice.ts';

const REFUSED_NUMBER = 'The sandbox takes only its test cards; GET /sandbox/scenarios lists them.';

/** Throws StoreUnavailable where a rule lets it go wrong, and what Ledger.submit throws. */
export async function tokenized(
  { reference, accountId, from }: TokenizationRequest,
  { ledger, world }: Sender,
  signal: AbortSignal,
): Promise<Tokenized> {
  if ('fieldToken' in from) return { kind: 'refused', description: 'The sandbox has no fields of its own that make tokens.' };
  const { card } = from;
  const row = cardOfNumber(card.number);
  if (row === undefined) return { kind: 'refused', description: REFUSED_NUMBER };
  const expiresAt = endOf(card.expirationMonth, card.expirationYear);
  if (expiresAt === undefined) return { kind: 'refused', description: 'The expiry is not a month and a year.' };
  if (expiresAt <= world.now()) return { kind: 'refused', description: 'The card has expired.' };
  const token = tokenOf(accountId, reference);
  const keep = { kind: 'keep_card', token, accountId, card: row.id } as const;
  const kept = await ledger.submit(keep);
  const fault = kept.kind === 'done' ? kept.fault : undefined;
  if (fault !== undefined) {
    await unlessAborted(signal, () => undefined, takeTime(world, fault, signal));
    if (signal.aborted || !leavesToken(fault)) throw tokenLost(fault);
    if (isBefore(fault)) await ledger.submit({ ...keep, struck: { fault, manner: {} } });
  }
  return { kind: 'token', processorToken: token, card: cardDataOf(card) };
}

/** Whether the caller has its token in spite of a fault: a token has no amount and no currency that could be wrong. */
const leavesToken = ({ fault, phase }: Fault): boolean =>
  phase === 'after_reply' || fault === 'slow' || fault === 'wrong_amount' || fault === 'wrong_currency';

const tokenLost = (fault: Fault): StoreUnavailable => {
  const { kind, detail } = learntFrom<Unknown>(fault, undefined);
  return new StoreUnavailable(`The sandbox cannot be used: ${detail}`, { outcomeUnknown: kind === 'unknown' });
};

/** The first moment (ms) at which a card is no longer valid; the year has two digits or four. */
function endOf(month: string, year: string): number | undefined {
  if (!/^(0?[1-9]|1[0-2])$/.test(month) || !/^(\d{2}|20\d{2})$/.test(year)) return undefined;
  const months = Number(year.slice(-2)) * 12 + Number(month);
  const [nextYear, nextMonth] = [2_000 + Math.floor(months / 12), (months % 12) + 1];
  return parseTime(`${nextYear}-${String(nextMonth).padStart(2, '0')}-01T00:00:00Z`);
}
