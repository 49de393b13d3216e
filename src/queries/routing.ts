// The rules of routing of an account: their versions with who set them, and what a file of rules would have chosen.
import type { AskedOfConnection } from '../commands/payments/route-payment.ts';
import type { Account, AccountEvent } from '../domain/account.ts';
import type { KnownPayment } from '../domain/payment/payment.ts';
import { isKnown } from '../domain/payment/queries.ts';
import { networkOf } from '../domain/payment-instrument/recorded-data.ts';
import { chooseRoute, type RouteChoice } from '../domain/routing/choose-route.ts';
import { type NamedConnection, type RecordedRules, SkipReason } from '../domain/routing/recorded-rules.ts';
import type { RouteFacts } from '../domain/routing/when.ts';
import type { Context } from '../journal/context.ts';
import type { Streams } from '../journal/streams.ts';
import { type PaymentKey, payments as paymentModel } from '../projections/models/payments.ts';
import type { Query, ReadModels } from '../stores/read-models.ts';
import { allOf } from './pages.ts';

interface RoutingVersion {
  readonly version: number;
  /** Null: the rules were removed. */
  readonly rules: RecordedRules | null;
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
      if (event.type === 'RoutingSet' || event.type === 'RoutingCleared') {
        const { version } = event.data;
        const rules = event.type === 'RoutingSet' ? event.data.rules : null;
        versions.unshift({ version, rules, setAt: recorded.at, by: metadata.actor });
      }
    return versions;
  };

interface Money {
  readonly currencyCode: string;
  /** Minor units. */
  readonly amount: number;
}
interface TriedRule {
  readonly rule: string;
  readonly payments: number;
  readonly amounts: readonly Money[];
  /** By the names of the rules; the most payments first. */
  readonly connections: readonly { readonly connection: string; readonly payments: number }[];
  /** Connections that cannot take some of them, with the reason. */
  readonly skipped: readonly { readonly connection: string; readonly because: SkipReason; readonly payments: number }[];
  /** How many of them no connection of the rule can take. */
  readonly refused: number;
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
  /** By connection and reason, in one line. */
  readonly skipped: Map<string, number>;
  refused: number;
}

interface TryNeeds {
  /** As for a payment. */
  readonly draw: (paymentId: string) => number;
  /** Why the connection can never take such a payment; undefined if it can. */
  readonly unsupported: (at: NamedConnection, asked: AskedOfConnection) => SkipReason | undefined;
}

/**
 * What the rules would have chosen for the account's own payments since a time (ms), the newest `most` of them, had
 * every connection responded and had a token of the card; it calls nobody, and reads a page at a time. Throws
 * StoreUnavailable.
 */
export const tryRouting =
  (readModels: ReadModels, { draw, unsupported }: TryNeeds) =>
  async (
    accountId: string,
    { rules, connections }: { readonly rules: RecordedRules; readonly connections: readonly NamedConnection[] },
    { since, most }: { readonly since: number; readonly most: number },
  ): Promise<TriedRules> => {
    const named = new Map(connections.map((one) => [one.name, one]));
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
      const asked = askedOf(doc);
      const choice = chooseRoute(
        rules,
        factsOf(doc),
        (name) => {
          const at = named.get(name);
          return at === undefined ? 'disabled' : unsupported(at, asked);
        },
        () => draw(id),
      );
      const tally = tallies.get(choice.rule) ?? newTally();
      tallies.set(choice.rule, tally);
      count(tally, choice, doc, named);
    }
    const tried = [...rules.rules.map(({ name }) => name), 'default'].map((rule) => triedOf(rule, tallies.get(rule)));
    return { payments: looked, elsewhere: tried.reduce((sum, one) => sum + one.elsewhere, 0), rules: tried, isCut };
  };

const newTally = (): RuleTally => ({
  payments: 0,
  elsewhere: 0,
  refused: 0,
  amounts: new Map(),
  connections: new Map(),
  skipped: new Map(),
});

function count(
  tally: RuleTally,
  { connection, skipped }: RouteChoice,
  { currencyCode, amount, attempts }: KnownPayment,
  named: ReadonlyMap<string, NamedConnection>,
): void {
  tally.payments += 1;
  addTo(tally.amounts, currencyCode, amount);
  for (const { connection: name, because } of skipped) addTo(tally.skipped, `${because} ${name}`, 1);
  if (connection === undefined) {
    tally.refused += 1;
    return;
  }
  addTo(tally.connections, connection, 1);
  if (named.get(connection)?.connectionId !== attempts[0]?.connectionId) tally.elsewhere += 1;
}

const addTo = (sums: Map<string, number>, key: string, by: number): void =>
  void sums.set(key, (sums.get(key) ?? 0) + by);

const triedOf = (rule: string, tally: RuleTally | undefined): TriedRule => ({
  rule,
  payments: tally?.payments ?? 0,
  amounts: [...(tally?.amounts ?? [])].map(([currencyCode, amount]) => ({ currencyCode, amount })),
  connections: [...(tally?.connections ?? [])]
    .map(([connection, payments]) => ({ connection, payments }))
    .sort((one, other) => other.payments - one.payments),
  skipped: [...(tally?.skipped ?? [])].map(([key, payments]) => {
    const [because, ...name] = key.split(' ');
    return { connection: name.join(' '), because: SkipReason.parse(because), payments };
  }),
  refused: tally?.refused ?? 0,
  elsewhere: tally?.elsewhere ?? 0,
});

const askedOf = ({ currencyCode, amount, paymentMethod, attempts }: KnownPayment): AskedOfConnection => ({
  ...paymentMethod,
  currencyCode,
  amount: attempts[0]?.amount ?? amount,
  paymentMethod,
});

/** The payment as it was at its creation, but for its metadata, which a capture may have changed. */
const factsOf = ({ currencyCode, amount, paymentMethod, metadata, attempts }: KnownPayment): RouteFacts => ({
  currencyCode,
  amount: attempts[0]?.amount ?? amount,
  methodType: paymentMethod.paymentMethodType,
  network: networkOf(paymentMethod.paymentMethodType, paymentMethod.paymentMethodData),
  initiator: attempts[0]?.offSession === true ? 'merchant' : 'customer',
  metadata,
});
