// Where the authorization of a payment goes: by the rules of its account, otherwise to where its token is good.
import type { Routing } from '../../domain/account.ts';
import { amountOf } from '../../domain/client-session/queries.ts';
import type { SessionFields } from '../../domain/client-session/recorded-fields.ts';
import { type Rejection, reject } from '../../domain/decider.ts';
import type { ChosenRoute } from '../../domain/payment/create.ts';
import type { SkippedConnection } from '../../domain/payment/events.ts';
import type { PaymentTerms } from '../../domain/payment/terms.ts';
import { type MethodData, networkOf, offeredAs } from '../../domain/payment-instrument/recorded-data.ts';
import { type TokenAt, tokenAt, type UsableInstrument } from '../../domain/payment-instrument/state.ts';
import type { OfferedMethod, PaymentMethodType } from '../../domain/payment-method.ts';
import { chooseRoute, type RouteChoice, sessionFacts } from '../../domain/routing/choose-route.ts';
import { type NamedConnection, SKIPPED, type SkipReason } from '../../domain/routing/recorded-rules.ts';
import { cardProcessor, connectionAt, connectionOf, methodProcessor } from '../../processors/connections.ts';
import type { Capabilities, Processor } from '../../processors/processor.ts';
import type { StoreKey } from '../../secrets.ts';
import { type AccountConnections, type ConnectionRow, withoutSecrets } from '../connections/connections.ts';
import type { Admitting } from '../limits/circuits.ts';
import type { PaymentNeeds } from './needs.ts';

interface RouteNeeds extends Pick<PaymentNeeds, 'processors' | 'circuits' | 'storeKey'> {
  readonly connections: Pick<AccountConnections, 'routingOf' | 'isActive' | 'nameOf'>;
}
type OfferNeeds = Pick<PaymentNeeds, 'processors' | 'connections' | 'circuits' | 'storeKey'>;

interface RoutedPayment {
  readonly token: TokenAt;
  /** Undefined without rules. */
  readonly chosen?: ChosenRoute;
}

interface ToRoute {
  /** Whose weights are drawn; undefined while only a refusal counts, which does not depend on the order. */
  readonly paymentId?: string;
  readonly admitted: Admitting;
  readonly accountId: string;
  readonly terms: PaymentTerms;
  readonly instrument: UsableInstrument;
  /** The customer is not there. */
  readonly isAbsent: boolean;
}

/** What a payment asks of the connection that takes it. */
export interface AskedOfConnection {
  readonly currencyCode: string;
  /** Minor units. */
  readonly amount: number;
  readonly paymentMethod: Pick<PaymentTerms['paymentMethod'], 'captureMode' | 'authorizationType'>;
  readonly paymentMethodType: PaymentMethodType;
  readonly paymentMethodData: MethodData;
}

/** Why a connection can never take such a payment, by what its adapter is capable of; undefined if it can. */
export const unsupportedAt = (
  processors: ReadonlyMap<string, Pick<Processor, 'capabilities'>>,
  named: Pick<NamedConnection, 'connectionId' | 'processor'>,
  { currencyCode, amount, paymentMethod, paymentMethodType, paymentMethodData }: AskedOfConnection,
): SkipReason | undefined =>
  incapable(
    processors,
    named,
    { currencyCode, amount },
    paymentMethod,
    offeredAs(paymentMethodType, paymentMethodData),
  );

/** As far as it is known. */
interface AskedAmount {
  readonly currencyCode: string | undefined;
  readonly amount: number | undefined;
}

/** False if the amount is between two steps of the processor. */
export const takesAmount = ({ stepOf }: Pick<Capabilities, 'stepOf'>, { currencyCode, amount }: AskedAmount): boolean =>
  stepOf === undefined || currencyCode === undefined || amount === undefined || amount % stepOf(currencyCode) === 0;

function incapable(
  processors: ReadonlyMap<string, Pick<Processor, 'capabilities'>>,
  { connectionId, processor }: Pick<NamedConnection, 'connectionId' | 'processor'>,
  asked: AskedAmount,
  { captureMode = 'MANUAL', authorizationType }: NonNullable<SessionFields['paymentMethod']>,
  offered: OfferedMethod,
): SkipReason | undefined {
  const { currencyCode } = asked;
  const adapter = processors.get(processor);
  if (adapter === undefined) return 'not_supported';
  const at = adapter.capabilities(connectionOf({ connectionId, processor }));
  if (offered !== 'PAYMENT_CARD' && at.methods?.includes(offered) !== true) return 'method_not_supported';
  if (currencyCode !== undefined && at.currencies?.includes(currencyCode) === false) return 'currency_not_supported';
  if (at.separateCapture === false && captureMode === 'MANUAL') return 'separate_capture_not_supported';
  if (!takesAmount(at, asked)) return 'not_supported';
  return at.adjustment === 'none' && authorizationType === 'ESTIMATED' ? 'not_supported' : undefined;
}

/** From 0 to below 1, for this payment: the same on every node and at every try. */
export const drawFor = (storeKey: Pick<StoreKey, 'draw'>, id: string): number => storeKey.draw('route-draw', id);

/**
 * The connection of a payment that is about to be made, which is admitted there. Where all are skipped:
 * ServiceUnavailable if one of them only does not respond, otherwise OperationNotSupported.
 */
export function routePayment(needs: RouteNeeds, asked: ToRoute): RoutedPayment | Rejection {
  const { accountId, instrument, admitted } = asked;
  const routing = needs.connections.routingOf(accountId);
  if (routing !== undefined) return byRules(needs, asked, routing);
  return admitted.enter({ accountId, connectionId: instrument.connectionId }) ?? { token: instrument };
}

function byRules(needs: RouteNeeds, asked: ToRoute, routing: Routing): RoutedPayment | Rejection {
  const { connections, storeKey } = needs;
  const { paymentId, terms, instrument, isAbsent } = asked;
  const { rules, version } = routing;
  const named = namedIn(routing);
  const facts = {
    currencyCode: terms.currencyCode,
    amount: terms.amount,
    methodType: instrument.paymentMethodType,
    network: networkOf(instrument.paymentMethodType, instrument.paymentMethodData),
    initiator: isAbsent ? 'merchant' : 'customer',
    metadata: terms.metadata,
  } as const;
  const choice = chooseRoute(
    rules,
    facts,
    (name) => {
      const connection = named.get(name);
      if (connection === undefined) return 'disabled';
      return skipped(needs, asked, connection);
    },
    () => (paymentId === undefined ? 0 : drawFor(storeKey, paymentId)),
  );
  const chosen = choice.connection === undefined ? undefined : named.get(choice.connection);
  const token = (chosen && tokenAt(instrument, chosen.connectionId)) ?? keptAt(needs, asked);
  if (token === undefined || typeof token === 'string') {
    const kept = token && { connection: connections.nameOf(instrument.connectionId), because: token };
    return allSkipped(choice.rule, kept === undefined ? choice.skipped : [...choice.skipped, kept]);
  }
  const later =
    rules.fallbackOn.length === 0 ? [] : choice.then.flatMap((name) => laterRoute(needs, asked, named.get(name)));
  return {
    token,
    chosen: {
      version,
      rule: choice.rule,
      connectionId: token.connectionId,
      connectionName: connections.nameOf(token.connectionId),
      skipped: passedOver(needs, choice, named),
      ...(later.length > 0 && {
        fallback: {
          connections: later,
          on: [...rules.fallbackOn],
          never: [...rules.never],
          mostAttempts: rules.mostAttempts,
        },
      }),
    },
  };
}

/**
 * What a processor's own fields made stays at their connection, even if the rules would choose another one by now: the
 * session was routed before its fields were shown, and a card that was saved there has a token nowhere
 * else. Why that connection cannot take it, if it is so.
 */
function keptAt(needs: RouteNeeds, asked: ToRoute): TokenAt | SkipReason | undefined {
  const { instrument } = asked;
  const { connectionId, processor } = instrument;
  if (needs.processors.get(processor)?.takesCards !== false) return undefined;
  return skipped(needs, asked, { name: connectionId, connectionId, processor }) ?? instrument;
}

interface ToOffer {
  /** Whose weights are drawn. */
  readonly sessionId: string;
  readonly accountId: string;
  readonly fields: SessionFields;
  readonly offered: OfferedMethod;
  /** As if each connection took any amount. */
  readonly isOfAnyAmount?: true;
}
/** The methods of a session are entered in the fields of this connection. */
export type OfferedAt = ConnectionRow | 'typed';

/**
 * Where a method of a session is entered, by what is known before the customer chooses: by the rules of the account,
 * otherwise its default connection. `typed`: in our own form. Undefined: nothing can take it now. The same at every
 * read as long as session, rules and connections are the same.
 */
export function routeOffer(needs: OfferNeeds, asked: ToOffer): OfferedAt | undefined {
  const { connections, processors } = needs;
  const { accountId, offered } = asked;
  const routing = connections.routingOf(accountId);
  if (routing === undefined) {
    const row = connections.defaultOf(accountId);
    if (row === undefined || !hasFields(needs, row)) {
      const typed = typedAt(processors, offered);
      const isTaken = typed !== undefined && takesAmount(typed.capabilities(connectionAt(typed.name)), amountIn(asked));
      return isTaken ? 'typed' : undefined;
    }
    return takes(needs, row, asked) ? row : undefined;
  }
  const { chosen } = chooseOffer(needs, asked, routing);
  if (chosen === undefined) return undefined;
  return processors.get(chosen.processor)?.takesCards === false
    ? connections.activeOf(accountId).find(({ id }) => id === chosen.connectionId)
    : 'typed';
}

/** A choice by rules for a method that is not entered yet. */
interface OfferChoice {
  readonly rule: string;
  /** Undefined if all were skipped. */
  readonly chosen: NamedConnection | undefined;
  readonly skipped: readonly SkippedConnection[];
  /** Those that may be asked after it. */
  readonly then: readonly NamedConnection[];
}

/** What the rules choose for a method of a session, by what is known before the customer chooses. */
export function chooseOffer(needs: OfferNeeds, asked: ToOffer, routing: Routing): OfferChoice {
  const { connections, storeKey } = needs;
  const { accountId, sessionId, fields, offered } = asked;
  const named = namedIn(routing);
  const active = connections.activeOf(accountId);
  const skip = (name: string): SkipReason | undefined => {
    const connection = named.get(name);
    if (connection === undefined || !connections.isActive(accountId, connection.connectionId)) return 'disabled';
    if (!needs.circuits.wouldAdmit({ accountId, connectionId: connection.connectionId })) return 'circuit_open';
    return offerSkipped(needs, asked, connection, active);
  };
  const choice = chooseRoute(routing.rules, sessionFacts(fields, offered), skip, () => drawFor(storeKey, sessionId));
  const { rule, connection } = choice;
  return {
    rule,
    chosen: connection === undefined ? undefined : named.get(connection),
    skipped: passedOver(needs, choice, named),
    then: choice.then.flatMap((name) => named.get(name) ?? []),
  };
}

/** The skipped connections by their ids and their names. */
const passedOver = (
  { connections }: Pick<RouteNeeds, 'connections'>,
  { skipped: all }: Pick<RouteChoice, 'skipped'>,
  named: ReadonlyMap<string, NamedConnection>,
): SkippedConnection[] =>
  all.map(({ connection, because }) => {
    const connectionId = named.get(connection)?.connectionId ?? connection;
    return { connectionId, connectionName: connections.nameOf(connectionId), because };
  });

/** Why the method cannot be entered for this connection. What is typed here gets a token at each. */
function offerSkipped(
  { processors }: OfferNeeds,
  asked: ToOffer,
  named: NamedConnection,
  active: readonly ConnectionRow[],
): SkipReason | undefined {
  const { fields, offered } = asked;
  const unsupported = incapable(processors, named, amountIn(asked), fields.paymentMethod ?? {}, offered);
  if (unsupported !== undefined) return unsupported;
  if (processors.get(named.processor)?.takesCards !== false)
    return typedAt(processors, offered) === undefined ? 'not_supported' : undefined;
  const row = active.find(({ id }) => id === named.connectionId);
  return row !== undefined && hasFields({ processors }, row) ? undefined : 'not_supported';
}

/** False without a publishable key: a browser could make nothing with its fields. */
const hasFields = ({ processors }: Pick<RouteNeeds, 'processors'>, { doc }: ConnectionRow): boolean =>
  processors.get(doc.processor)?.fields !== undefined && doc.publishableKey !== undefined;

const amountIn = ({ fields, isOfAnyAmount }: ToOffer): AskedAmount => ({
  currencyCode: fields.currencyCode,
  amount: isOfAnyAmount === true ? undefined : amountOf(fields),
});

function takes({ processors }: OfferNeeds, row: ConnectionRow, asked: ToOffer): boolean {
  const at = processors.get(row.doc.processor)?.capabilities(withoutSecrets(row));
  const isTaken = asked.offered === 'PAYMENT_CARD' || at?.methods?.includes(asked.offered) === true;
  return isTaken && at !== undefined && takesAmount(at, amountIn(asked));
}

const typedAt = (processors: RouteNeeds['processors'], offered: OfferedMethod): Processor | undefined =>
  offered === 'PAYMENT_CARD' ? cardProcessor(processors) : methodProcessor(processors, offered);

/** The connections of the rules by their names, made once for each version of them. */
function namedIn(routing: Routing): ReadonlyMap<string, NamedConnection> {
  const known = NAMED.get(routing);
  if (known !== undefined) return known;
  const named = new Map(routing.connections.map((one) => [one.name, one]));
  NAMED.set(routing, named);
  return named;
}
const NAMED = new WeakMap<Routing, ReadonlyMap<string, NamedConnection>>();

/**
 * Why the connection cannot take it now; otherwise it is admitted there. A card that was entered while it did not
 * respond has no token there.
 */
function skipped(
  { connections, processors, circuits }: RouteNeeds,
  asked: ToRoute,
  named: NamedConnection,
): SkipReason | undefined {
  const { accountId } = asked;
  const { connectionId } = named;
  if (!connections.isActive(accountId, connectionId)) return 'disabled';
  // before what may pass: trying again would not help the caller
  const unsupported = unsupportedAt(processors, named, askedOf(asked));
  if (unsupported !== undefined) return unsupported;
  const isOpen = !asked.admitted.isAt(connectionId) && !circuits.wouldAdmit({ accountId, connectionId });
  if (isOpen) return 'circuit_open';
  if (tokenAt(asked.instrument, connectionId) === undefined) return 'no_token';
  return asked.admitted.enter({ accountId, connectionId }) === undefined ? undefined : 'circuit_open';
}

const askedOf = ({ terms: { currencyCode, amount, paymentMethod }, instrument }: ToRoute): AskedOfConnection => ({
  currencyCode,
  amount,
  paymentMethod,
  paymentMethodType: instrument.paymentMethodType,
  paymentMethodData: instrument.paymentMethodData,
});

/** A connection to ask after a refusal; none if it has no token of the card, or can never take the payment. */
function laterRoute({ connections, processors }: RouteNeeds, asked: ToRoute, named: NamedConnection | undefined) {
  const token = named && tokenAt(asked.instrument, named.connectionId);
  if (token === undefined || unsupportedAt(processors, token, askedOf(asked)) !== undefined) return [];
  const { processor, connectionId, processorToken } = token;
  const prepares = processors.get(processor)?.prepare !== undefined ? { prepares: true as const } : {};
  return [{ processor, connectionId, connectionName: connections.nameOf(connectionId), processorToken, ...prepares }];
}

/** A caller may try again where a connection does not respond. */
const RETRY_AFTER_SECONDS = 10;

/** No connection of the rule takes the payment: why each was skipped, by its name. */
export function allSkipped(
  rule: string,
  skippedOnes: readonly { readonly connection: string; readonly because: SkipReason }[],
): Rejection {
  const why = skippedOnes.map(({ connection, because }) => `${connection} ${SKIPPED[because]}`).join(', ');
  const description = `No connection of the rule ${JSON.stringify(rule)} can take the payment: ${why}. Nothing was changed.`;
  return skippedOnes.some(({ because }) => because === 'circuit_open')
    ? reject('ServiceUnavailable', description, { retryAfterSeconds: RETRY_AFTER_SECONDS })
    : reject('OperationNotSupported', description);
}
