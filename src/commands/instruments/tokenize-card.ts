// POST /checkout/payment-instruments: the card goes to the processor; here stay its token, its masked data and a keyed fingerprint.
import validateCard from 'card-validator';
import { z } from 'zod';
import { allowsNetwork } from '../../domain/client-session/queries.ts';
import { type Rejection, reject, type Violation } from '../../domain/decider.ts';
import type { CardData, CardNetwork } from '../../domain/payment-instrument/card.ts';
import { tokenize } from '../../domain/payment-instrument/decide.ts';
import type { PaymentInstrument } from '../../domain/payment-instrument/state.ts';
import { shortText } from '../../domain/text.ts';
import { formatTime, within } from '../../world.ts';
import { type Answer, type Caller, completed } from '../caller.ts';
import type { House } from '../house.ts';
import { leftBy, type Operation, transactFor, type Worked } from '../operation.ts';
import { badToken } from '../sessions/token-claims.ts';

const Card = z.strictObject({
  number: z
    .string()
    .transform((text) => text.replaceAll(/[ -]/g, ''))
    .refine((digits) => /^\d{12,19}$/.test(digits) && validateCard.number(digits).isValid, {
      error: 'Must be a card number of 12 to 19 digits whose check digit is right.',
    })
    .meta({ description: '12 to 19 digits; spaces and hyphens are ignored.' }),
  expirationMonth: z.string().regex(/^(0[1-9]|1[0-2])$/, { error: 'Must be a month from 01 to 12.' }),
  expirationYear: z.string().regex(/^20\d\d$/, { error: 'Must be a year of four digits, such as 2030.' }),
  cvc: z.string().regex(/^\d{3,4}$/, { error: 'Must be 3 or 4 digits.' }),
  cardholderName: shortText.optional(),
});
export const TokenizeCard = z.strictObject({ card: Card }).meta({ id: 'TokenizeCard' });
type Card = z.output<typeof Card>;

/** The processor that cards are tokenized at. */
const PROCESSOR = 'sandbox';

export const tokenizeCard =
  (house: House) =>
  async ({ card }: z.output<typeof TokenizeCard>, caller: Caller): Promise<Answer<PaymentInstrument>> => {
    const violations = expired(card, caller.at);
    if (violations.length > 0) return reject('RequestValidationError', 'The card has expired.', { violations });
    return house.operations.once(caller, {
      name: 'tokenize-card',
      target: house.instruments,
      resource: { prefix: 'pm' },
      admit: () => admit(house, caller),
      work: (operation) => work(house, card, caller, operation),
      replay: async ({ resourceId }, revision) => completed(resourceId, await house.instruments.at(resourceId, revision)),
    });
  };

async function admit({ sessions, cardTesting, circuits }: House, { sessionId, address }: Caller): Promise<Rejection | undefined> {
  if (sessionId === undefined || (await sessions.load(sessionId)).state.status === 'absent') return badToken();
  const refused = circuits.admit(PROCESSOR);
  if (refused !== undefined) return refused;
  const limited = await cardTesting.countTokenization(sessionId, address);
  if (limited !== undefined) circuits.untried(PROCESSOR);
  return limited;
}

async function allowsNow(house: House, sessionId: string, data: CardData): Promise<boolean> {
  const { state } = await house.sessions.current(sessionId);
  return state.status !== 'absent' && allowsNetwork(state.fields, data);
}

async function work(house: House, card: Card, caller: Caller, operation: Operation): Promise<Worked<Answer<PaymentInstrument>>> {
  const { sessionId, accountId, at } = caller;
  const refused = (answer: Rejection): Worked<Answer<PaymentInstrument>> => ({ answer, appended: false });
  const session = sessionId === undefined ? undefined : (await house.sessions.load(sessionId)).state;
  if (sessionId === undefined || session === undefined || session.status === 'absent') return refused(badToken());
  const data = masked(card);
  // A session that is kept may be behind another process's PATCH: only the newest one refuses.
  if (!allowsNetwork(session.fields, data) && !(await allowsNow(house, sessionId, data))) {
    house.circuits.untried(PROCESSOR);
    return refused(networkNotAllowed());
  }
  const processorToken = await tokenAtProcessor(house, operation.resourceId, accountId, card);
  if (typeof processorToken === 'object') return refused(processorToken);
  const tokenized = await transactFor(
    operation,
    house.instruments,
    tokenize({
      accountId,
      sessionId,
      processor: PROCESSOR,
      processorToken,
      paymentMethodType: 'PAYMENT_CARD',
      paymentMethodData: data,
      fingerprint: house.storeKey.fingerprint('card-fingerprint', `${accountId}\n${card.number}`),
      createdAt: at,
      expiresAt: at + TOKEN_LIFE_MS,
    }),
  );
  if (tokenized.kind === 'rejected') return refused(tokenized);
  const { resourceId } = operation;
  return { answer: completed(resourceId, await leftBy(house.instruments, resourceId, tokenized)), appended: true };
}

const networkNotAllowed = (): Rejection =>
  reject('RequestValidationError', 'The session does not take cards of this network.', {
    violations: [{ path: '$.card.number', description: "Must be a card of one of the session's networks." }],
  });

/** A SINGLE_USE token lives 24 hours (contract §5). */
const TOKEN_LIFE_MS = 24 * 3_600_000;

async function tokenAtProcessor(house: House, reference: string, accountId: string, card: Card): Promise<string | Rejection> {
  const processor = house.processors.get(PROCESSOR);
  if (processor === undefined) return reject('ServiceUnavailable', 'No processor that takes cards is configured.');
  const { number, expirationMonth, expirationYear, cvc, cardholderName } = card;
  const details = { number, expirationMonth, expirationYear, cvc, ...(cardholderName !== undefined && { cardholderName }) };
  const answer = await within(house.world, house.timings.answerWithinMs, (signal) =>
    processor.tokenize({ reference, accountId, card: details }, signal),
  ).catch((fault: unknown) => {
    house.report(fault);
    return 'away' as const;
  });
  house.circuits.ended(PROCESSOR, 'tokenization', answer === 'away' || answer === 'timeout' ? 'unknown' : answer.kind);
  // Nothing was charged, so the caller may simply try again.
  if (answer === 'away')
    return reject('ServiceUnavailable', 'The processor that takes the card is away; nothing was changed.', { retryAfterSeconds: 1 });
  if (answer === 'timeout')
    return reject('ServiceUnavailable', 'The processor did not tokenize the card in time.', { retryAfterSeconds: 1 });
  if (answer.kind === 'token') return answer.processorToken;
  return reject('RequestValidationError', 'The processor does not take this card.', {
    violations: [{ path: '$.card.number', description: answer.description }],
  });
}

const NETWORKS: { readonly [type: string]: CardNetwork } = {
  visa: 'VISA',
  mastercard: 'MASTERCARD',
  'american-express': 'AMEX',
  discover: 'DISCOVER',
};

const masked = ({ number, expirationMonth, expirationYear, cardholderName }: Card): CardData => ({
  network: NETWORKS[validateCard.number(number).card?.type ?? ''] ?? 'OTHER',
  first6Digits: number.slice(0, 6),
  last4Digits: number.slice(-4),
  expirationMonth,
  expirationYear,
  ...(cardholderName !== undefined && { cardholderName }),
});

/** A card is good through the last day of its month, wherever that day ends last (UTC-12). */
function expired({ expirationYear, expirationMonth }: Card, at: number): readonly Violation[] {
  const month = formatTime(at - 12 * 3_600_000).slice(0, 'YYYY-MM'.length);
  return `${expirationYear}-${expirationMonth}` < month
    ? [{ path: '$.card.expirationYear', description: 'Must not be in the past: the card has expired.' }]
    : [];
}
