// A card, or another method, becomes a token of the sandbox: only one of its table does, and its number is kept
// nowhere.
import type { Check, Unknown } from '../../domain/payment/outcome.ts';
import { StoreUnavailable } from '../../stores/store-unavailable.ts';
import { parseTime } from '../../world.ts';
import { cardDataOf } from '../card-data.ts';
import type { CardDetails, GivenMethod, TokenizationRequest, Tokenized } from '../processor.ts';
import { type Card, cvcResultOf } from './card.ts';
import { cardOfId, cardOfNumber, rowOfMethod } from './cards.ts';
import { isAnswered, isBefore, learntFrom } from './faults.ts';
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
  const kept = 'card' in from ? ofCard(from.card, world.now()) : ofMethod(from.method, accountId);
  if (typeof kept === 'string') return refused(kept);
  const { row, check, ...known } = kept;
  const processorToken = tokenOf(accountId, reference);
  const fault = await ledger.write('keepCard', processorToken, accountId, row.id, check);
  if (fault !== undefined) {
    await unlessAborted(signal, () => undefined, takeTime(world, fault, signal));
    const { kind, detail } = learntFrom<Unknown>(fault);
    if (signal.aborted || !isAnswered(fault))
      throw new StoreUnavailable(`The sandbox cannot be used: ${detail}`, { outcomeUnknown: kind === 'unknown' });
    if (isBefore(fault)) await ledger.write('keepCard', processorToken, accountId, row.id, check, true);
  }
  return { kind: 'token', processorToken, ...known };
}

type OfToken<T> = T extends { readonly processorToken: string } ? Omit<T, 'kind' | 'processorToken'> : never;
type Kept = { readonly row: Card; readonly check: Check } & OfToken<Tokenized>;

/** A sentence for a card that the sandbox does not take. */
function ofCard(card: CardDetails, now: number): Kept | string {
  const row = cardOfNumber(card.number);
  if (row === undefined) return 'The sandbox accepts only its test cards. GET /sandbox/scenarios lists them.';
  const expiresAt = endOf(card.expirationMonth, card.expirationYear);
  if (expiresAt === undefined) return 'The expiry must be a month and a year.';
  if (expiresAt <= now) return 'The card has expired.';
  return { row, check: cvcResultOf(card.cvc), card: cardDataOf(card) };
}

const NOT_CHECKED = 'NOT_CHECKED' as const;
/** The device has a card of the table, and its token names the row: `sandbox:approved`. */
const WALLET_TOKEN = /^sandbox:([a-z0-9-]+)$/;

function ofMethod(method: GivenMethod, accountId: string): Kept | string {
  if (method.type === 'APPLE_PAY' || method.type === 'GOOGLE_PAY') {
    const row = cardOfId(WALLET_TOKEN.exec(method.token)?.[1] ?? '');
    const number = row?.numbers[0];
    if (row === undefined || number === undefined)
      return 'A wallet token of the sandbox is `sandbox:` and the id of a test card, such as sandbox:approved.';
    const details = { number, expirationMonth: '12', expirationYear: '2099', cvc: '' };
    return { row, check: NOT_CHECKED, card: { ...cardDataOf(details), wallet: method.type } };
  }
  const { type } = method;
  const iban = 'iban' in method ? method.iban : undefined;
  const row = rowOfMethod(type, iban);
  if (row === undefined)
    return 'The sandbox accepts only the bank accounts of its table. GET /sandbox/scenarios lists them.';
  if (iban === undefined) return { row, check: NOT_CHECKED, method: { type, data: {} }, paysOnce: true };
  const data = {
    bankName: 'Sandbox Bank',
    ibanLast4: iban.slice(-4),
    mandateReference: `SBX-${tokenOf(accountId, iban).slice(-8).toUpperCase()}`,
  };
  return { row, check: NOT_CHECKED, method: { type, data } };
}

/** The first moment (ms) at which a card is no longer valid; the year has two digits or four. */
function endOf(month: string, year: string): number | undefined {
  if (!/^(0?[1-9]|1[0-2])$/.test(month) || !/^(\d{2}|20\d{2})$/.test(year)) return undefined;
  const months = Number(year.slice(-2)) * 12 + Number(month);
  const [nextYear, nextMonth] = [2_000 + Math.floor(months / 12), (months % 12) + 1];
  return parseTime(`${nextYear}-${String(nextMonth).padStart(2, '0')}-01T00:00:00Z`);
}
