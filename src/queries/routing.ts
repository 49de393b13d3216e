// The rules of routing of an account: their versions with who set them, and what a file of rules would have chosen.
import type { AccountEvent } from '../domain/account/events.ts';
import type { Account } from '../domain/account/state.ts';
import type { KnownPayment } from '../domain/payment/payment.ts';
import { isKnown } from '../domain/payment/queries.ts';
import { networkOf } from '../domain/payment-instrument/recorded-data.ts';
import { chooseRoute } from '../domain/routing/choose-route.ts';
import type { NamedConnection, RecordedRules } from '../domain/routing/recorded-rules.ts';
import type { RouteFacts } from '../domain/routing/when.ts';
import type { Context } from '../journal/context.ts';
import type { Streams } from '../journal/streams.ts';
import { type PaymentKey, payments as paymentModel } from '../projections/models/payments.ts';
import type { Query, ReadModels } from '../stores/read-models.ts';
import { allOf } from './pages.ts';

export interface RoutingVersion {
  readonly version: number;
  readonly rules: RecordedRules;
  readonly connections: readonly NamedConnection[];
  /** ms */
  readonly setAt: number;
  readonly by: Context['actor'];
}

/** The newest first. Reads the account's stream. Throws StoreUnavailable. */
export const routingVersions =
  (accounts: Streams<Account, AccountEvent>) =>
  async (accountId: string): Promise<readonly RoutingVersion[]> => {
    const versions: RoutingVersion[] = [];
    for await (const { event, recorded, metadata } of accounts.history(accountId, -1))
      if (event.type === 'RoutingSet') versions.unshift({ ...event.data, setAt: recorded.at, by: metadata.actor });
    return versions;
  };

interface Money {
  readonly currencyCode: string;
  /** Minor units. */
  readonly amount: number;
}
export interface TriedRule {
  readonly rule: string;
  readonly payments: number;
  readonly amounts: readonly Money[];
  /** By the names of the rules; the most payments first. */
  readonly connections: readonly { readonly connection: string; readonly payments: number }[];
  /** How many of them went elsewhere first. */
  readonly elsewhere: number;
}
export interface TriedRules {
  readonly payments: number;
  readonly elsewhere: number;
  /** In the order of the file, those that no payment matched among them. */
  readonly rules: readonly TriedRule[];
  /** There are older payments in the time, which were not looked at. */
  readonly isCut: boolean;
}

interface RuleTally {
  payments: number;
  elsewhere: number;
  readonly amounts: Map<string, number>;
  readonly connections: Map<string, number>;
}

/**
 * What the rules would have chosen for the account's own payments since a time (ms), the newest `most` of them, had
 * every connection been there; it calls nobody. `draw`: as for a payment. Throws StoreUnavailable.
 */
export const tryRouting =
  (readModels: ReadModels, draw: (paymentId: string) => number) =>
  async (
    accountId: string,
    { rules, connections }: { readonly rules: RecordedRules; readonly connections: readonly NamedConnection[] },
    { since, most }: { readonly since: number; readonly most: number },
  ): Promise<TriedRules> => {
    const named = new Map(connections.map(({ name, connectionId }) => [name, connectionId]));
    const tallies = new Map<string, RuleTally>();
    const newest: Pick<Query<PaymentKey>, 'where' | 'order'> = {
      where: { accountId: [accountId] },
      order: { by: 'date', descending: true },
    };
    let looked = 0;
    let isCut = false;
    for await (const { id, doc } of allOf(readModels, paymentModel, newest)) {
      if (!isKnown(doc)) continue;
      if (doc.date < since) break;
      isCut = looked === most;
      if (isCut) break;
      looked += 1;
      const { rule, connection = '' } = chooseRoute(
        rules,
        factsOf(doc),
        () => undefined,
        () => draw(id),
      );
      const tally = tallies.get(rule) ?? { payments: 0, elsewhere: 0, amounts: new Map(), connections: new Map() };
      tallies.set(rule, tally);
      tally.payments += 1;
      tally.elsewhere += named.get(connection) === doc.attempts[0]?.connectionId ? 0 : 1;
      tally.amounts.set(doc.currencyCode, (tally.amounts.get(doc.currencyCode) ?? 0) + doc.amount);
      tally.connections.set(connection, (tally.connections.get(connection) ?? 0) + 1);
    }
    const tried = [...rules.rules.map(({ name }) => name), 'default'].map((rule) => triedOf(rule, tallies.get(rule)));
    return { payments: looked, elsewhere: tried.reduce((sum, one) => sum + one.elsewhere, 0), rules: tried, isCut };
  };

const triedOf = (rule: string, tally: RuleTally | undefined): TriedRule => ({
  rule,
  payments: tally?.payments ?? 0,
  amounts: [...(tally?.amounts ?? [])].map(([currencyCode, amount]) => ({ currencyCode, amount })),
  connections: [...(tally?.connections ?? [])]
    .map(([connection, payments]) => ({ connection, payments }))
    .sort((one, other) => other.payments - one.payments),
  elsewhere: tally?.elsewhere ?? 0,
});

/** The payment as it was at its creation. */
const factsOf = ({ currencyCode, amount, paymentMethod, metadata, attempts }: KnownPayment): RouteFacts => ({
  currencyCode,
  amount: attempts[0]?.amount ?? amount,
  methodType: paymentMethod.paymentMethodType,
  network: networkOf(paymentMethod.paymentMethodType, paymentMethod.paymentMethodData),
  initiator: attempts[0]?.offSession === true ? 'merchant' : 'customer',
  metadata,
});
