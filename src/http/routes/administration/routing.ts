// The rules of routing in the dashboard: their versions with who set them, the next ones, and a try on past payments.
import { z } from 'zod';
import { refusalCodes } from '../../../domain/payment/decline-reason.ts';
import { CardData } from '../../../domain/payment-instrument/recorded-data.ts';
import { PaymentMethodType } from '../../../domain/payment-method.ts';
import { RecordedRules, SkipReason } from '../../../domain/routing/recorded-rules.ts';
import { formatTime } from '../../../world.ts';
import { Instant } from '../../answers/shapes.ts';
import { refuse } from '../../errors.ts';
import { found, type Route, route } from '../../route.ts';
import type { RouteParts } from '../parts.ts';
import { MAY } from './ways.ts';

const count = z.int().min(0);
const Version = z.strictObject({
  version: z.int().min(1),
  /** Null: this version removed the rules. */
  rules: RecordedRules.nullable(),
  setAt: Instant,
  by: z.strictObject({
    kind: z.string(),
    id: z.string(),
    /** The e-mail address of a user. */
    name: z.string().optional(),
  }),
});
const Routing = z
  .strictObject({
    /** The newest first; empty, or without rules: a payment goes to where its token is good. */
    versions: z.array(Version).readonly(),
    /** The names that rules may use, and the ids that payments have for them. */
    connections: z.array(z.strictObject({ name: z.string(), connectionId: z.string() })).readonly(),
    /** The values that rules may have, as a page offers them. */
    choices: z.strictObject({
      methodTypes: z.array(z.string()).readonly(),
      networks: z.array(z.string()).readonly(),
      /** The codes of refusals. */
      refusals: z.array(z.string()).readonly(),
    }),
  })
  .meta({ id: 'DashboardRouting' });
const Tried = z
  .strictObject({
    payments: count,
    /** How many of them went to another connection first. */
    elsewhere: count,
    rules: z
      .array(
        z.strictObject({
          rule: z.string(),
          payments: count,
          amounts: z.array(z.strictObject({ currencyCode: z.string(), amount: count })).readonly(),
          connections: z.array(z.strictObject({ connection: z.string(), payments: count })).readonly(),
          /** Connections that cannot take some of them. */
          skipped: z.array(z.strictObject({ connection: z.string(), because: SkipReason, payments: count })).readonly(),
          /** How many of them no connection of the rule can take. */
          refused: count,
          elsewhere: count,
        }),
      )
      .readonly(),
    /** True if there are older payments in the time, which were not looked at. */
    isCut: z.boolean(),
  })
  .meta({ id: 'DashboardRoutingTried' });

const CHOICES = {
  methodTypes: PaymentMethodType.options,
  networks: CardData.shape.network.options,
  refusals: refusalCodes,
} as const;

/** JSON of any shape: every mistake in it is told with its place. */
const Rules = z.record(z.string(), z.unknown());

const PATH = '/dashboard/api/routing';
const common = { tag: 'Routing' } as const;
const DAY_MS = 86_400_000;
/** Payments that a try looks at. */
const MOST = 10_000;

export const routingRoutes = ({ routing, queries, world }: RouteParts): readonly Route[] => {
  const nameOf = async ({ kind, id }: { readonly kind: string; readonly id: string }) =>
    kind === 'user' ? (await queries.readUser(id))?.user.email : undefined;
  const shown = async (accountId: string): Promise<z.input<typeof Routing>> => {
    const versions = await queries.routingVersions(accountId);
    return {
      versions: await Promise.all(
        versions.map(async ({ version, rules, setAt, by: { kind, id } }) => ({
          version,
          rules,
          setAt: formatTime(setAt),
          by: { kind, id, name: await nameOf({ kind, id }) },
        })),
      ),
      connections: (await routing.connectionsOf(accountId)).map(({ name, connectionId }) => ({ name, connectionId })),
      choices: CHOICES,
    };
  };
  return [
    route({
      ...common,
      method: 'GET',
      path: PATH,
      scope: MAY.routing.read,
      summary: 'Read the rules of routing, every version of them, with who set it when',
      request: z.object({}),
      answer: Routing,
      handle: async (_request, { caller: { accountId } }) => found(await shown(accountId)),
    }),
    route({
      ...common,
      method: 'PUT',
      path: PATH,
      scope: MAY.routing.change,
      summary: 'Set the rules of routing, which apply to every payment from now on, or remove them',
      request: z.object({
        body: z.strictObject({
          /** Null removes the rules: payments go to where their tokens are good. */
          rules: Rules.nullable(),
          /** The version that the user saw, 0 for none: a newer one is a Conflict. */
          version: count,
        }),
      }),
      answer: Routing,
      errors: ['Conflict'],
      async handle({ body: { rules, version } }, { caller }) {
        const { accountId } = caller;
        const set = await routing.set({ accountId, sent: rules, shown: version }, caller);
        return set.kind === 'rejected' ? set : found(await shown(accountId));
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: `${PATH}/test`,
      scope: MAY.routing.try,
      summary: 'Try rules on the payments of the last days: what each would have chosen. It changes nothing',
      request: z.object({ body: z.strictObject({ rules: Rules, days: z.int().min(1).max(90) }) }),
      answer: Tried,
      async handle({ body: { rules, days } }, { caller: { accountId } }) {
        const read = await routing.read(accountId, rules);
        if (read.kind === 'wrong') return refuse('RequestValidationError', read.problems.join(' '));
        const since = world.now() - days * DAY_MS;
        return found(await queries.tryRouting(accountId, read, { since, most: MOST }));
      },
    }),
  ];
};
