// POST /checkout/payment-instruments: the card, the token of the processor's own fields, or another method goes to the
// processor; here stay its token, its masked data and a keyed fingerprint.
import validateCard from 'card-validator';
import { z } from 'zod';
import { allowsMethod, allowsNetwork } from '../../domain/client-session/queries.ts';
import type { SessionFields } from '../../domain/client-session/recorded-fields.ts';
import type { ClientSession } from '../../domain/client-session/state.ts';
import { type Rejection, reject, type Violation } from '../../domain/decider.ts';
import { isIban } from '../../domain/iban.ts';
import { tokenize } from '../../domain/payment-instrument/decide.ts';
import { type MethodData, offeredAs } from '../../domain/payment-instrument/recorded-data.ts';
import type { PaymentInstrument, TokenAt } from '../../domain/payment-instrument/state.ts';
import { type OfferedMethod, PaymentMethodType, Wallet } from '../../domain/payment-method.ts';
import { mayBeEnteredAt } from '../../domain/routing/choose-route.ts';
import { cardDataOf } from '../../processors/card-data.ts';
import { cardProcessor, connectionAt, methodProcessor } from '../../processors/connections.ts';
import type { CardDetails, Processor, TokenizationRequest, Tokenized } from '../../processors/processor.ts';
import { formatTime, within } from '../../world.ts';
import { type Answer, type Caller, completed } from '../caller.ts';
import type { ConnectionRoute } from '../connections/connections.ts';
import { UnresolvedSecret } from '../connections/secret-reference.ts';
import { type Effect, leftBy, transactFor } from '../effect.ts';
import { identifier, shortText } from '../fields/text.ts';
import { replayed } from '../idempotency.ts';
import { type CircuitOf, endedCall } from '../limits/circuits.ts';
import { badToken } from '../sessions/client-tokens.ts';
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
const GivenToken = z.strictObject({
  connectionId: identifier.meta({
    description: 'An active connection of the account, as `fields` of the session names it.',
  }),
  type: shortText.meta({
    description: "The fields' own word for the token: `confirmation_token` for Stripe.",
    examples: ['confirmation_token'],
  }),
  token: z
    .string()
    .min(1)
    .max(255)
    .meta({ examples: ['ctoken_1NnQUf2eZvKYlo2CIObdtbnb'] }),
});

/** Another method than a card that is typed here. */
const GivenMethod = z.discriminatedUnion('type', [
  z.strictObject({ type: Wallet, token: z.string().min(1).max(8_192) }),
  z.strictObject({
    type: z.literal('SEPA_DEBIT'),
    iban: z
      .string()
      .transform((iban) => iban.replaceAll(' ', '').toUpperCase())
      .refine(isIban, { error: 'Must be an IBAN with valid check digits.' })
      .meta({ examples: ['DE89 3704 0044 0532 0130 00'] }),
    accountHolderName: shortText.regex(/\S/, { error: 'Must be a name.' }),
    mandateAccepted: z.literal(true).meta({ description: 'The customer has seen the mandate, and agreed to it.' }),
  }),
  z.strictObject({ type: PaymentMethodType.exclude(['PAYMENT_CARD', 'SEPA_DEBIT']) }),
]);
/** Exactly one of the three. */
export const TokenizeCard = z
  .strictObject({
    card: GivenCard.optional(),
    processorToken: GivenToken.optional().meta({
      description: "In place of `card`: the token that the processor's own fields made of it in the browser.",
    }),
    method: GivenMethod.optional().meta({
      description:
        'In place of `card`: `{type}` of a page or a voucher; `{type, token}` of a wallet; `{type, iban, accountHolderName, mandateAccepted}` of SEPA_DEBIT.',
    }),
  })
  .refine((given) => Object.values(given).filter((one) => one !== undefined).length === 1, {
    error: 'Must have one of card, processorToken and method.',
    path: ['card'],
  })
  .meta({
    id: 'TokenizeCard',
    oneOf: [{ required: ['card'] }, { required: ['processorToken'] }, { required: ['method'] }],
  });
type GivenCard = z.output<typeof GivenCard>;
type CardOrToken = z.output<typeof TokenizeCard>;

const noProcessor = (): Rejection => reject('ServiceUnavailable', 'No processor that accepts cards is configured.');
const onlyFields = (): Rejection =>
  reject('RequestValidationError', 'Card numbers are not accepted here.', {
    violations: [{ path: '$.card', description: "Must be left out: the processor's own fields take the card." }],
  });
const notOffered = (type: string, path = '$.method.type'): Rejection =>
  reject('RequestValidationError', `${type} is not offered here.`, {
    violations: [{ path, description: "Must be one of the session's paymentMethods." }],
  });
const noConnection = (why: string): Rejection =>
  reject('RequestValidationError', why, {
    violations: [
      {
        path: '$.processorToken.connectionId',
        description: 'Must be an active connection of the account, as `fields` of the session names it.',
      },
    ],
  });

export async function tokenizeCard(
  needs: InstrumentNeeds,
  given: CardOrToken,
  caller: Caller,
): Promise<Answer<PaymentInstrument>> {
  const violations = given.card === undefined ? [] : expired(given.card, caller.at);
  if (violations.length > 0) return reject('RequestValidationError', 'The card has expired.', { violations });
  const first = await routeOf(needs, given, caller.accountId);
  const places = 'kind' in first ? first : placesOf(needs, first, given.processorToken !== undefined, caller.accountId);
  const { instruments } = needs;
  using operation = await needs.idempotency.open(caller, 'tokenize-card');
  const target = { streams: instruments, resource: { prefix: 'pm' } };
  const begun = await operation.begin(target, () => admit(needs, places, caller));
  if (begun.kind === 'rejected') return begun;
  const { resourceId: token } = begun;
  if (begun.kind === 'repeated') return replayed(completed(token, await instruments.at(token, begun.revision)));
  const answer = await tokenizeAt(needs, given, places, caller, begun);
  return operation.end(begun, answer, answer.kind === 'rejected' ? 'nothing' : 'appended');
}

/** Where a card goes: its number to the first processor of this node, a token to the connection that it names. */
async function routeOf(
  { processors, connections }: InstrumentNeeds,
  { processorToken, method }: CardOrToken,
  accountId: string,
): Promise<TokenRoute | Rejection> {
  if (processorToken === undefined) {
    const at = method === undefined ? cardProcessor(processors) : methodProcessor(processors, method.type);
    if (at !== undefined)
      return { accountId, processor: at.name, connectionId: connectionAt(at.name).connectionId, at };
    if (method !== undefined) return notOffered(method.type);
    return connections.defaultOf(accountId) === undefined ? noProcessor() : onlyFields();
  }
  const row = await connections.read(processorToken.connectionId);
  const found = row?.doc.accountId === accountId ? row : undefined;
  if (found?.doc.status === 'disabled') return noConnection('The connection is disabled.');
  const at = found && (await connections.processor(found.doc.processor));
  return at === undefined || found === undefined
    ? noConnection('There is no such connection.')
    : { accountId, processor: found.doc.processor, connectionId: found.id, at };
}

type TokenRoute = ConnectionRoute & CircuitOf & { readonly at: Processor };

/** The connections at which a card or a method gets a token. */
interface TokenPlaces {
  readonly first: TokenRoute;
  /** The account's further connections to the same processor; none for a token of the processor's own fields. */
  readonly further: readonly TokenRoute[];
  /**
   * True if nothing is made without a token at the first: it is the only one, or the account has no rules that send a
   * payment to another. `admit` then takes the try of its circuit, otherwise each call takes that of its own.
   */
  readonly needsFirst: boolean;
}

function placesOf(
  { connections }: InstrumentNeeds,
  first: TokenRoute,
  isOfFields: boolean,
  accountId: string,
): TokenPlaces {
  const { processor, at } = first;
  const further = connections
    .activeOf(accountId)
    .filter(({ doc }) => !isOfFields && doc.processor === processor)
    .map(({ id }) => ({ accountId, processor, connectionId: id, at }));
  return { first, further, needsFirst: further.length === 0 || connections.routingOf(accountId) === undefined };
}

/** The first connection, which may have been let through to try, is not called. */
function leaveCircuit({ circuits }: InstrumentNeeds, { first, needsFirst }: TokenPlaces): void {
  if (needsFirst) circuits.untried(first);
}

async function admit(
  needs: InstrumentNeeds,
  places: TokenPlaces | Rejection,
  { sessionId, address }: Caller,
): Promise<Rejection | undefined> {
  const { sessions, cardTesting, circuits } = needs;
  if (sessionId === undefined || (await sessions.load(sessionId)).state.status === 'absent') return badToken();
  if ('kind' in places) return places;
  const { first, further, needsFirst } = places;
  const isOneFree = [first, ...further].some((route) => circuits.wouldAdmit(route));
  const refused = needsFirst || !isOneFree ? circuits.admit(first) : undefined;
  if (refused !== undefined) return refused;
  const limited = await cardTesting.countTokenization(sessionId, address);
  if (limited !== undefined) leaveCircuit(needs, places);
  return limited;
}

type FieldsCheck = (fields: SessionFields) => boolean;

async function allowsNow(needs: InstrumentNeeds, sessionId: string, check: FieldsCheck): Promise<boolean> {
  const { state } = await needs.sessions.current(sessionId);
  return state.status !== 'absent' && check(state.fields);
}

/**
 * Whether the account's rules have the method entered at this connection, for the session as it is or once was: its
 * fields may have been shown before a PATCH. Without rules each active connection may be named.
 */
async function isRoutedTo(
  { connections, sessions }: InstrumentNeeds,
  connectionId: string,
  sessionId: string,
  accountId: string,
  offered: OfferedMethod,
): Promise<boolean> {
  const routing = connections.routingOf(accountId);
  if (routing === undefined) return true;
  const isNamed = (state: ClientSession): boolean =>
    state.status !== 'absent' && mayBeEnteredAt(routing, state.fields, offered, connectionId);
  if (isNamed((await sessions.load(sessionId)).state)) return true;
  let { state } = sessions.empty;
  for await (const { event, recorded } of sessions.history(sessionId, -1)) {
    state = sessions.decider.evolve(state, event, recorded);
    if (isNamed(state)) return true;
  }
  return false;
}

async function tokenizeAt(
  needs: InstrumentNeeds,
  given: CardOrToken,
  places: TokenPlaces | Rejection,
  caller: Caller,
  effect: Effect,
): Promise<Answer<PaymentInstrument>> {
  const { sessionId, accountId, at } = caller;
  const { resourceId } = effect;
  const session = sessionId === undefined ? undefined : (await needs.sessions.load(sessionId)).state;
  if (sessionId === undefined || session === undefined || session.status === 'absent') return badToken();
  if ('kind' in places) return places;
  const { processor, connectionId } = places.first;
  // A kept session may be older than another process's PATCH: only the newest one refuses.
  const isAllowed = async (check: FieldsCheck): Promise<boolean> =>
    check(session.fields) || (await allowsNow(needs, sessionId, check));
  const isOffered = (offered: OfferedMethod) => isAllowed((fields) => allowsMethod(fields, offered));
  const isOfNetwork = (data: MethodData) => isAllowed((fields) => allowsNetwork(fields, data));
  const { card, method, processorToken } = given;
  const asked = card === undefined ? method?.type : 'PAYMENT_CARD';
  if (asked !== undefined && !(await isOffered(asked))) {
    leaveCircuit(needs, places);
    return notOffered(asked, card === undefined ? '$.method.type' : '$.card');
  }
  if (card !== undefined && !(await isOfNetwork(cardDataOf(detailsOf(card))))) {
    leaveCircuit(needs, places);
    return networkNotAllowed('$.card.number');
  }
  const request = { reference: resourceId, accountId, from: sentOf(given) };
  const made = await tokensAt(needs, places, request);
  if (made.kind === 'rejected') return made;
  const { first, others } = made;
  const { answer } = first;
  const { type, data } = 'card' in answer ? { type: 'PAYMENT_CARD' as const, data: answer.card } : answer.method;
  const offered = offeredAs(type, data);
  if (processorToken !== undefined && !(await isOffered(offered))) return notOffered(offered, '$.processorToken.token');
  if (processorToken !== undefined && !(await isRoutedTo(needs, connectionId, sessionId, accountId, offered)))
    return noConnection('The rules of the account have this method entered at another connection.');
  if (card === undefined && !(await isOfNetwork(data)))
    return networkNotAllowed(method === undefined ? '$.processorToken.token' : '$.method.token');
  // What was typed here names itself, so that the name does not depend on the connection that made the token.
  const typed = card?.number ?? (method !== undefined && 'iban' in method ? method.iban : undefined);
  const name = typed ?? `${processor}\n${answer.fingerprint ?? answer.processorToken}`;
  const tokenized = await transactFor(
    effect,
    needs.instruments,
    tokenize(
      {
        accountId,
        sessionId,
        ...first.at,
        paymentMethodType: type,
        paymentMethodData: data,
        fingerprint: needs.storeKey.fingerprint('card-fingerprint', `${accountId}\n${name}`),
        createdAt: at,
        expiresAt: at + TOKEN_LIFE_MS,
        ...(answer.paysOnce === true && { paysOnce: true }),
      },
      others,
    ),
  );
  if (tokenized.kind === 'rejected') return tokenized;
  return completed(resourceId, await leftBy(needs.instruments, resourceId, tokenized));
}

function sentOf({ card, processorToken, method }: CardOrToken): TokenizationRequest['from'] {
  if (card !== undefined) return { card: detailsOf(card) };
  if (method !== undefined) return { method };
  const { token: fieldToken = '', type: fieldType = '' } = processorToken ?? {};
  return { fieldToken, fieldType };
}

const networkNotAllowed = (path: string): Rejection =>
  reject('RequestValidationError', 'The session does not accept cards of this network.', {
    violations: [{ path, description: "Must be a card of one of the session's networks." }],
  });

/** A SINGLE_USE token lives 24 hours (contract §5). */
const TOKEN_LIFE_MS = 24 * 3_600_000;

type Token = Extract<Tokenized, { kind: 'token' }>;

const unavailable = (): Rejection =>
  reject('ServiceUnavailable', 'The processor of the card is unavailable. Nothing was changed.', {
    retryAfterSeconds: 1,
  });

interface TokenMade {
  readonly at: TokenAt;
  readonly answer: Token;
}

/** How long the other tokens are waited for after the first one was made, ms: the shopper waits too. */
const FURTHER_WITHIN_MS = 5_000;

/**
 * The token of the first connection and those of further ones, asked for at once: where one of them fails, or does not
 * respond, the card goes on without a token there. The rejection of the first if it is needed, or if
 * there is none at all.
 */
async function tokensAt(
  needs: InstrumentNeeds,
  { first, further, needsFirst }: TokenPlaces,
  request: TokenizationRequest,
): Promise<{ readonly kind: 'made'; readonly first: TokenMade; readonly others: readonly TokenAt[] } | Rejection> {
  const { circuits, world } = needs;
  const made = async (route: TokenRoute): Promise<TokenMade | Rejection> => {
    const answer = await tokenAtProcessor(needs, route, request);
    const { processor, connectionId } = route;
    return answer.kind === 'rejected'
      ? answer
      : { at: { processor, connectionId, processorToken: answer.processorToken }, answer };
  };
  if (further.length === 0) {
    const only = await made(first);
    return 'kind' in only ? only : { kind: 'made', first: only, others: [] };
  }
  const isFree = (route: TokenRoute): boolean => circuits.admit(route) === undefined;
  const routes = needsFirst ? [first, ...further.filter(isFree)] : [first, ...further].filter(isFree);
  const answers: (TokenMade | Rejection | undefined)[] = routes.map(() => undefined);
  let isEnough = (): void => undefined;
  const enough = new Promise<void>((resolve) => {
    isEnough = resolve;
  });
  const all = Promise.all(
    routes.map(async (route, place) => {
      const answer = await made(route);
      answers[place] = answer;
      if (needsFirst ? place === 0 : !('kind' in answer)) isEnough();
    }),
  );
  await Promise.race([all, enough]);
  const [ofFirst] = answers;
  if (needsFirst && ofFirst !== undefined && 'kind' in ofFirst) return ofFirst;
  await within(world, FURTHER_WITHIN_MS, () => all);
  const [best, ...others] = answers.flatMap((answer) => (answer === undefined || 'kind' in answer ? [] : [answer]));
  if (best !== undefined) return { kind: 'made', first: best, others: others.map(({ at }) => at) };
  return answers.find((answer): answer is Rejection => answer !== undefined && 'kind' in answer) ?? unavailable();
}

async function tokenAtProcessor(
  needs: InstrumentNeeds,
  { at: processor, ...route }: TokenRoute,
  request: TokenizationRequest,
): Promise<Token | Rejection> {
  const { world } = needs;
  const [at, startedAt] = [world.now(), world.monotonic()];
  const answer = await needs.deadlines
    .within(async (signal) => processor.tokenize(request, { connection: await needs.connections.of(route), signal }))
    .catch((fault: unknown) => {
      // the readiness of the node says so
      if (fault instanceof UnresolvedSecret) return 'unusable' as const;
      needs.report(fault);
      return 'unavailable' as const;
    });
  if (answer === 'unusable') {
    needs.circuits.untried(route);
    return unavailable();
  }
  const told = answer === 'unavailable' || answer === 'timeout' ? { kind: 'unknown' } : answer;
  const made = { what: 'tokenization', at, tookMs: world.monotonic() - startedAt };
  needs.circuits.ended(route, 'tokenization', told.kind, endedCall(made, told));
  // Nothing was charged, so the caller may simply try again.
  if (answer === 'unavailable') return unavailable();
  if (answer === 'timeout')
    return reject('ServiceUnavailable', 'The processor did not tokenize the card in time.', { retryAfterSeconds: 1 });
  if (answer.kind === 'token') return answer;
  return reject(
    'RequestValidationError',
    `The processor does not accept this ${'method' in request.from ? 'payment method' : 'card'}.`,
    {
      violations: [{ path: pathIn(request.from), description: answer.description }],
    },
  );
}

function pathIn(from: TokenizationRequest['from']): string {
  if ('method' in from) return 'iban' in from.method ? '$.method.iban' : '$.method';
  return 'card' in from ? '$.card.number' : '$.processorToken';
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
