// POST /checkout/payment-instruments: the card goes to the processor; here stay its token, its masked data and a keyed
// fingerprint.
import validateCard from 'card-validator';
import { z } from 'zod';
import { allowsNetwork } from '../../domain/client-session/queries.ts';
import { type Rejection, reject, type Violation } from '../../domain/decider.ts';
import { tokenize } from '../../domain/payment-instrument/decide.ts';
import type { CardData } from '../../domain/payment-instrument/recorded-card.ts';
import type { PaymentInstrument } from '../../domain/payment-instrument/state.ts';
import { cardDataOf } from '../../processors/card-data.ts';
import { cardProcessor } from '../../processors/card-processor.ts';
import { connectionAt } from '../../processors/connections.ts';
import type { CardDetails, Processor, Tokenized } from '../../processors/processor.ts';
import { formatTime } from '../../world.ts';
import { type Answer, type Caller, completed } from '../caller.ts';
import { type Effect, leftBy, transactFor, type Worked } from '../effect.ts';
import { shortText } from '../fields/text.ts';
import { badToken } from '../sessions/token-claims.ts';
import type { InstrumentNeeds } from './needs.ts';

const GivenCard = z.strictObject({
  number: z
    .string()
    .transform((text) => text.replaceAll(/[ -]/g, ''))
    .refine((digits) => /^\d{12,19}$/.test(digits) && validateCard.number(digits).isValid, {
      error: 'Must be a card number of 12 to 19 digits with a valid check digit.',
    })
    .meta({ description: '12 to 19 digits; spaces and hyphens are ignored.', pattern: '^[ -]*(?:[0-9][ -]*){12,19}$' }),
  expirationMonth: z.string().regex(/^(0[1-9]|1[0-2])$/, { error: 'Must be a month from 01 to 12.' }),
  expirationYear: z.string().regex(/^20\d\d$/, { error: 'Must be a year of four digits, such as 2030.' }),
  cvc: z.string().regex(/^\d{3,4}$/, { error: 'Must be 3 or 4 digits.' }),
  cardholderName: shortText.optional(),
});
export const TokenizeCard = z.strictObject({ card: GivenCard }).meta({ id: 'TokenizeCard' });
type GivenCard = z.output<typeof GivenCard>;

const noProcessor = (): Rejection => reject('ServiceUnavailable', 'No processor that accepts cards is configured.');

export const tokenizeCard =
  (needs: InstrumentNeeds) =>
  async ({ card }: z.output<typeof TokenizeCard>, caller: Caller): Promise<Answer<PaymentInstrument>> => {
    const violations = expired(card, caller.at);
    if (violations.length > 0) return reject('RequestValidationError', 'The card has expired.', { violations });
    return needs.idempotency.once(caller, {
      name: 'tokenize-card',
      target: needs.instruments,
      resource: { prefix: 'pm' },
      admit: () => admit(needs, caller),
      work: (effect) => work(needs, card, caller, effect),
      replay: async ({ resourceId }, revision) =>
        completed(resourceId, await needs.instruments.at(resourceId, revision)),
    });
  };

async function admit(needs: InstrumentNeeds, { sessionId, address }: Caller): Promise<Rejection | undefined> {
  const { sessions, cardTesting, circuits } = needs;
  if (sessionId === undefined || (await sessions.load(sessionId)).state.status === 'absent') return badToken();
  const name = cardProcessor(needs.processors)?.name;
  if (name === undefined) return noProcessor();
  const refused = circuits.admit(name);
  if (refused !== undefined) return refused;
  const limited = await cardTesting.countTokenization(sessionId, address);
  if (limited !== undefined) circuits.untried(name);
  return limited;
}

async function allowsNow(needs: InstrumentNeeds, sessionId: string, data: CardData): Promise<boolean> {
  const { state } = await needs.sessions.current(sessionId);
  return state.status !== 'absent' && allowsNetwork(state.fields, data);
}

async function work(
  needs: InstrumentNeeds,
  card: GivenCard,
  caller: Caller,
  effect: Effect,
): Promise<Worked<Answer<PaymentInstrument>>> {
  const { sessionId, accountId, at } = caller;
  const refused = (answer: Rejection): Worked<Answer<PaymentInstrument>> => ({ answer, appended: false });
  const session = sessionId === undefined ? undefined : (await needs.sessions.load(sessionId)).state;
  if (sessionId === undefined || session === undefined || session.status === 'absent') return refused(badToken());
  const processor = cardProcessor(needs.processors);
  if (processor === undefined) return refused(noProcessor());
  const details = detailsOf(card);
  const data = cardDataOf(details);
  // A kept session may be older than another process's PATCH: only the newest one refuses.
  if (!allowsNetwork(session.fields, data) && !(await allowsNow(needs, sessionId, data))) {
    needs.circuits.untried(processor.name);
    return refused(networkNotAllowed());
  }
  const answer = await tokenAtProcessor(needs, processor, effect.resourceId, accountId, details);
  if (answer.kind === 'rejected') return refused(answer);
  const tokenized = await transactFor(
    effect,
    needs.instruments,
    tokenize({
      accountId,
      sessionId,
      processor: processor.name,
      connectionId: connectionAt(processor.name).connectionId,
      processorToken: answer.processorToken,
      paymentMethodType: 'PAYMENT_CARD',
      paymentMethodData: answer.card,
      fingerprint: needs.storeKey.fingerprint('card-fingerprint', `${accountId}\n${card.number}`),
      createdAt: at,
      expiresAt: at + TOKEN_LIFE_MS,
    }),
  );
  if (tokenized.kind === 'rejected') return refused(tokenized);
  const { resourceId } = effect;
  return { answer: completed(resourceId, await leftBy(needs.instruments, resourceId, tokenized)), appended: true };
}

const networkNotAllowed = (): Rejection =>
  reject('RequestValidationError', 'The session does not accept cards of this network.', {
    violations: [{ path: '$.card.number', description: "Must be a card of one of the session's networks." }],
  });

/** A SINGLE_USE token lives 24 hours (contract §5). */
const TOKEN_LIFE_MS = 24 * 3_600_000;

type Token = Extract<Tokenized, { kind: 'token' }>;

async function tokenAtProcessor(
  needs: InstrumentNeeds,
  processor: Processor,
  reference: string,
  accountId: string,
  card: CardDetails,
): Promise<Token | Rejection> {
  const answer = await needs.deadlines
    .within((signal) =>
      processor.tokenize(
        { reference, accountId, from: { card } },
        { connection: connectionAt(processor.name), signal },
      ),
    )
    .catch((fault: unknown) => {
      needs.report(fault);
      return 'unavailable' as const;
    });
  needs.circuits.ended(
    processor.name,
    'tokenization',
    answer === 'unavailable' || answer === 'timeout' ? 'unknown' : answer.kind,
  );
  // Nothing was charged, so the caller may simply try again.
  if (answer === 'unavailable')
    return reject('ServiceUnavailable', 'The processor of the card is unavailable. Nothing was changed.', {
      retryAfterSeconds: 1,
    });
  if (answer === 'timeout')
    return reject('ServiceUnavailable', 'The processor did not tokenize the card in time.', { retryAfterSeconds: 1 });
  if (answer.kind === 'token') return answer;
  return reject('RequestValidationError', 'The processor does not accept this card.', {
    violations: [{ path: '$.card.number', description: answer.description }],
  });
}

const detailsOf = ({ cardholderName, ...card }: GivenCard): CardDetails => ({
  ...card,
  ...(cardholderName !== undefined && { cardholderName }),
});

/** A card is good through the last day of its month, until that day ends everywhere (UTC-12). */
function expired({ expirationYear, expirationMonth }: GivenCard, at: number): readonly Violation[] {
  const month = formatTime(at - 12 * 3_600_000).slice(0, 'YYYY-MM'.length);
  return `${expirationYear}-${expirationMonth}` < month
    ? [{ path: '$.card.expirationYear', description: 'Must not be in the past: the card has expired.' }]
    : [];
}
