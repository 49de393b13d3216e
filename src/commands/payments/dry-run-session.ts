// `counterfoil routing test --session`: what a payment of a session would do, before its method is entered. It only
// reads, as every dry run (contract §4).
import type { Routing } from '../../domain/account.ts';
import { claimSession } from '../../domain/client-session/decide.ts';
import { allowsMethod } from '../../domain/client-session/queries.ts';
import type { OpenSession } from '../../domain/client-session/state.ts';
import { type Rejection, reject } from '../../domain/decider.ts';
import { type PaymentTerms, paymentTerms } from '../../domain/payment/terms.ts';
import { type OfferedMethod, typeOfOffered } from '../../domain/payment-method.ts';
import { cardProcessor, connectionAt, methodProcessor } from '../../processors/connections.ts';
import { sessionFor } from './claims.ts';
import { badInstrument, fitting } from './create-payment.ts';
import { authorizationOfTerms, choiceWords, type DryRun, namedRoute } from './dry-run.ts';
import type { PaymentNeeds } from './needs.ts';
import { allSkipped, chooseOffer, routeOffer } from './route-payment.ts';

interface SessionToTry {
  readonly accountId: string;
  readonly sessionId: string;
  /** Entered in our own form: it has a token at each connection that takes it. */
  readonly offered: OfferedMethod;
  /** In place of the rules of the account. */
  readonly routing?: Routing | undefined;
}

/** NotFound for a session that is not the account's. Throws StoreUnavailable. */
export async function dryRunSession(needs: PaymentNeeds, asked: SessionToTry): Promise<DryRun | Rejection> {
  const { accountId, sessionId, offered } = asked;
  const at = needs.world.now();
  const session = await sessionFor(needs, sessionId, at);
  if (session.status === 'absent' || session.accountId !== accountId)
    return reject('NotFound', `There is no session ${sessionId}.`);
  const terms = termsWith(session, offered, at);
  if ('kind' in terms) return { operation: 'authorization', refused: terms };
  const about = authorizationOfTerms(terms);
  const offer = { sessionId, accountId, fields: session.fields, offered };
  const routing = asked.routing ?? needs.connections.routingOf(accountId);
  if (routing === undefined) return { ...about, ...withoutRules(needs, offer) };
  const { rule, chosen, skipped, then } = chooseOffer(needs, offer, routing);
  if (chosen === undefined) {
    const named = skipped.map(({ connectionId, connectionName = connectionId, because }) => ({
      connection: connectionName,
      because,
    }));
    return { ...about, refused: allSkipped(rule, named) };
  }
  const connection = namedRoute(needs, chosen);
  const choice = { version: routing.version, rule, connectionId: chosen.connectionId, connectionName: connection.name };
  return {
    ...about,
    connection: { ...connection, because: choiceWords({ ...choice, skipped: [...skipped] }, routing) },
    fallbacks: routing.rules.fallbackOn.length === 0 ? [] : then.map((one) => namedRoute(needs, one)),
  };
}

/** The terms of a payment that has no fields of its own, or why a payment refuses them. */
function termsWith(session: OpenSession, offered: OfferedMethod, at: number): PaymentTerms | Rejection {
  const claimed = claimSession({ paymentId: '', at, abandonAfter: at })(session);
  if (claimed.kind === 'rejected') return claimed;
  const terms = fitting({ paymentMethodType: typeOfOffered(offered) }, paymentTerms({}, session.fields));
  if ('kind' in terms) return terms;
  return allowsMethod(session.fields, offered) ? terms : badInstrument();
}

function withoutRules(needs: PaymentNeeds, offer: Parameters<typeof routeOffer>[1]): Partial<DryRun> {
  const at = routeOffer(needs, offer);
  const { processors } = needs;
  const { offered } = offer;
  const typed = offered === 'PAYMENT_CARD' ? cardProcessor(processors) : methodProcessor(processors, offered);
  const route =
    at === 'typed' ? typed && connectionAt(typed.name) : at && { connectionId: at.id, processor: at.doc.processor };
  if (route === undefined)
    return { refused: reject('OperationNotSupported', 'No connection of the account takes the payment.') };
  const because = 'The account has no rules of routing, and this is where the method is entered.';
  return { connection: { ...namedRoute(needs, route), because } };
}
