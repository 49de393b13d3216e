// Where the authorization of a payment goes: by the rules of its account, otherwise to where its token is good.
import type { Routing } from '../../domain/account/state.ts';
import { type Rejection, reject } from '../../domain/decider.ts';
import type { ChosenRoute } from '../../domain/payment/create.ts';
import type { PaymentTerms } from '../../domain/payment/terms.ts';
import { networkOf } from '../../domain/payment-instrument/recorded-data.ts';
import { type TokenAt, tokenAt, type UsableInstrument } from '../../domain/payment-instrument/state.ts';
import { chooseRoute } from '../../domain/routing/choose-route.ts';
import type { NamedConnection, SkipReason } from '../../domain/routing/recorded-rules.ts';
import { connectionOf } from '../../processors/connections.ts';
import type { StoreKey } from '../../secrets.ts';
import type { PaymentNeeds } from './needs.ts';

export type RouteNeeds = Pick<PaymentNeeds, 'processors' | 'connections' | 'circuits' | 'storeKey'>;

export interface RoutedPayment {
  readonly token: TokenAt;
  /** Undefined without rules. */
  readonly chosen?: ChosenRoute;
}

interface ToRoute {
  /** Whose weights are drawn. */
  readonly paymentId: string;
  readonly accountId: string;
  readonly terms: PaymentTerms;
  readonly instrument: UsableInstrument;
  /** The customer is not there. */
  readonly isAbsent: boolean;
}

/** From 0 to below 1, for this payment: the same on every node and at every try. */
export const drawFor = (storeKey: Pick<StoreKey, 'draw'>, id: string): number => storeKey.draw('route-draw', id);

/**
 * The connection of a payment that is about to be made. Where all are skipped: ServiceUnavailable if one of them only
 * does not respond, otherwise OperationNotSupported. `isSent`: the circuit of the connection counts it as let
 * through.
 */
export function routePayment(needs: RouteNeeds, asked: ToRoute, isSent: boolean): RoutedPayment | Rejection {
  const { accountId, instrument } = asked;
  const routing = needs.connections.routingOf(accountId);
  return routing === undefined ? { token: instrument } : byRules(needs, asked, routing, isSent);
}

function byRules(needs: RouteNeeds, asked: ToRoute, routing: Routing, isSent: boolean): RoutedPayment | Rejection {
  const { circuits, storeKey } = needs;
  const { paymentId, terms, instrument, isAbsent } = asked;
  const { rules, version } = routing;
  const named = namedIn(routing);
  const skip = (name: string): SkipReason | undefined => {
    const connection = named.get(name);
    if (connection === undefined) return 'disabled';
    const because = skipped(needs, asked, connection);
    if (because !== undefined || !isSent) return because;
    return circuits.admit(connection.connectionId) === undefined ? undefined : 'circuit_open';
  };
  const facts = {
    currencyCode: terms.currencyCode,
    amount: terms.amount,
    methodType: instrument.paymentMethodType,
    network: networkOf(instrument.paymentMethodType, instrument.paymentMethodData),
    initiator: isAbsent ? 'merchant' : 'customer',
    metadata: terms.metadata,
  } as const;
  const choice = chooseRoute(rules, facts, skip, () => drawFor(storeKey, paymentId));
  const skippedIds = choice.skipped.map(({ connection, because }) => ({
    connectionId: named.get(connection)?.connectionId ?? connection,
    because,
  }));
  const chosen = choice.connection === undefined ? undefined : named.get(choice.connection);
  const token = chosen && tokenAt(instrument, chosen.connectionId);
  if (token === undefined) return allSkipped(choice.rule, choice.skipped);
  const later = choice.then.flatMap((name) => laterRoute(needs, instrument, named.get(name)));
  return {
    token,
    chosen: {
      version,
      rule: choice.rule,
      connectionId: token.connectionId,
      skipped: skippedIds,
      ...(later.length > 0 &&
        rules.fallbackOn.length > 0 && {
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

/** The connections of the rules by their names, made once for each version of them. */
function namedIn(routing: Routing): ReadonlyMap<string, NamedConnection> {
  const known = NAMED.get(routing);
  if (known !== undefined) return known;
  const named = new Map(routing.connections.map((one) => [one.name, one]));
  NAMED.set(routing, named);
  return named;
}
const NAMED = new WeakMap<Routing, ReadonlyMap<string, NamedConnection>>();

/** Why the connection cannot take it now. A card that was entered while it did not respond has no token there. */
function skipped(
  { connections, processors, circuits }: RouteNeeds,
  { accountId, instrument, terms }: ToRoute,
  { connectionId, processor }: NamedConnection,
): SkipReason | undefined {
  if (!connections.isActive(accountId, connectionId)) return 'disabled';
  if (!circuits.wouldAdmit(connectionId)) return 'circuit_open';
  if (tokenAt(instrument, connectionId) === undefined) return 'no_token';
  const adapter = processors.get(processor);
  if (adapter === undefined) return 'not_supported';
  if (terms.paymentMethod.authorizationType !== 'ESTIMATED') return undefined;
  const { adjustment } = adapter.capabilities(connectionOf({ connectionId, processor }));
  return adjustment === 'none' ? 'not_supported' : undefined;
}

function laterRoute({ processors }: RouteNeeds, instrument: UsableInstrument, named: NamedConnection | undefined) {
  const token = named && tokenAt(instrument, named.connectionId);
  if (token === undefined) return [];
  const { processor, connectionId, processorToken } = token;
  const prepares = processors.get(processor)?.prepare !== undefined ? { prepares: true as const } : {};
  return [{ processor, connectionId, processorToken, ...prepares }];
}

const WORDS: { readonly [B in SkipReason]: string } = {
  disabled: 'is disabled',
  circuit_open: 'does not respond',
  not_supported: 'does not support what the payment asks for',
  no_token: 'has no token of the card',
};

/** A caller may try again where a connection does not respond. */
const RETRY_AFTER_SECONDS = 10;

function allSkipped(
  rule: string,
  skippedOnes: readonly { readonly connection: string; readonly because: SkipReason }[],
): Rejection {
  const why = skippedOnes.map(({ connection, because }) => `${connection} ${WORDS[because]}`).join(', ');
  const description = `No connection of the rule ${JSON.stringify(rule)} can take the payment: ${why}. Nothing was changed.`;
  return skippedOnes.some(({ because }) => because === 'circuit_open')
    ? reject('ServiceUnavailable', description, { retryAfterSeconds: RETRY_AFTER_SECONDS })
    : reject('OperationNotSupported', description);
}

/** Why a connection cannot be asked after a refusal at another one; undefined if it can. */
export const skipNow =
  ({ connections, circuits }: Pick<RouteNeeds, 'connections' | 'circuits'>, accountId: string) =>
  (connectionId: string): SkipReason | undefined => {
    if (!connections.isActive(accountId, connectionId)) return 'disabled';
    return circuits.wouldAdmit(connectionId) ? undefined : 'circuit_open';
  };
