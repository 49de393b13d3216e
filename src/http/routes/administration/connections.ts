// The account's connections to processors: added, given new references, disabled and examined by its
// users. No answer has a secret, but the URL of a new connection, once.
import { z } from 'zod';
import type { Caller } from '../../../commands/caller.ts';
import type { ConnectionRow } from '../../../commands/connections/connections.ts';
import type { EndedCall } from '../../../commands/limits/circuits.ts';
import type { ConnectionState } from '../../../domain/connection.ts';
import { reject } from '../../../domain/decider.ts';
import { TAKEN_DAYS } from '../../../queries/connection-totals.ts';
import { formatTime } from '../../../world.ts';
import { page } from '../../answer-size.ts';
import { connectionMembers } from '../../answers/connection.ts';
import { Instant, SumAnswer } from '../../answers/shapes.ts';
import { found, notFound, type Route, route, shapedLater } from '../../route.ts';
import type { RouteParts } from '../parts.ts';
import { MAY } from './ways.ts';

const ms = z.int().min(0);
const Call = z.strictObject({
  /** An operation of a payment, or another call: "look-up". */
  what: z.string(),
  at: Instant,
  tookMs: ms,
  /** The outcome's kind: `succeeded`, `declined`, `unknown`. */
  outcome: z.string(),
  /** The reason of a refusal. */
  code: z.string().optional(),
  /** The words of a failure, with the processor's id of the request if it gave one. */
  detail: z.string().optional(),
  processorTransactionId: z.string().optional(),
});
const ConnectionAnswer = z
  .strictObject({
    id: z.string(),
    processor: z.string(),
    name: z.string(),
    status: z.enum(['active', 'disabled']),
    /** References, and never what they name. */
    secrets: z.array(
      z.strictObject({
        name: z.string(),
        /** `env:NAME` or `file:PATH`. */
        reference: z.string(),
        /** Why the process that responds cannot use it; absent if it can. */
        problem: z.string().optional(),
      }),
    ),
    /** Until then notifications signed by the previous secret are accepted; null if there is none. */
    previousWebhookSecretUntil: Instant.nullable(),
    /** Not secret: browsers see it. */
    publishableKey: z.string().nullable(),
    /** Another server that speaks the processor's API; null: the processor's own. */
    apiUrl: z.string().nullable(),
    /** True if a run of `connections check --script` has passed at its server. */
    burnProven: z.boolean(),
    /** The API key that the URL for notifications stands for. */
    webhookKeyId: z.string().nullable(),
    /** How far the processor's own list of events was read; null: not yet, or it lists none. */
    eventsSweptUntil: Instant.nullable(),
    createdAt: Instant,
    disabledAt: Instant.nullable(),
    /** On the process that responds. */
    circuit: z.strictObject({
      open: z.boolean(),
      /** Since it last opened or closed; absent if it has been closed since the process started. */
      changedMs: ms.optional(),
      /** Until an operation may try the processor; absent while the circuit is closed. */
      triesInMs: ms.optional(),
    }),
    /** The last call of the process that responds; absent if there was none since it started. */
    lastCall: Call.optional(),
  })
  .meta({ id: 'DashboardConnection' });
type ConnectionAnswer = z.input<typeof ConnectionAnswer>;
/** A connection that every account has without adding it: it has no references, and cannot be disabled. */
const BuiltIn = z.strictObject({
  /** Also the name of its processor. */
  id: z.string(),
  circuit: ConnectionAnswer.shape.circuit,
  lastCall: Call.optional(),
});
const ConnectionList = z
  .strictObject({
    data: z.array(ConnectionAnswer).readonly(),
    builtIn: z.array(BuiltIn).readonly(),
    /** The processors that may be named. */
    processors: z.array(z.string()).readonly(),
    /** True if the account has more than are listed. */
    isCut: z.boolean(),
  })
  .meta({ id: 'DashboardConnections' });
const ConnectionDetail = z
  .strictObject({
    connection: ConnectionAnswer,
    /** The newest 50 calls of the process that responds since it started, the newest first. */
    calls: z.array(Call).readonly(),
  })
  .meta({ id: 'DashboardConnectionDetail' });
const ConnectionMade = z
  .strictObject({
    connection: ConnectionAnswer,
    /** `/webhooks/<processor>/<token>`, below the URL of the service: it cannot be shown again. */
    path: z.string(),
  })
  .meta({ id: 'DashboardConnectionMade' });
const Examination = z
  .strictObject({
    isGood: z.boolean(),
    lines: z.array(z.strictObject({ name: z.string(), value: z.string(), isGood: z.boolean() })).readonly(),
  })
  .meta({ id: 'DashboardConnectionExamination' });

const ConnectionTotals = z
  .strictObject({
    /** The days that are counted, the current one included. */
    days: z.int(),
    /** The connections that authorized payments, the most payments first. */
    data: z
      .array(
        z.strictObject({
          connectionId: z.string(),
          count: z.int().min(0),
          currencies: z
            .array(z.strictObject({ currencyCode: z.string(), count: z.int(), amount: SumAnswer }))
            .readonly(),
        }),
      )
      .readonly(),
  })
  .meta({ id: 'DashboardConnectionTotals' });

const Text = z.string().min(1).max(1_024);
const AskedReference = z
  .strictObject({ processor: Text, what: z.enum(['secretKey', 'webhookSecret']), reference: Text })
  .meta({ id: 'DashboardAskedReference' });
const ReferenceUse = z
  .strictObject({
    /** True if the process that responds can read it, and the processor takes it as such a secret in this mode. */
    isUsable: z.boolean(),
  })
  .meta({ id: 'DashboardReferenceUse' });
const References = z.strictObject({
  /** `env:NAME` or `file:PATH` of the secret API key. */
  secretKey: Text,
  /** `env:NAME` or `file:PATH` of the secret that signs notifications. */
  webhookSecret: Text.optional(),
  publishableKey: Text.optional(),
});
const New = References.partial({ secretKey: true })
  .extend({
    processor: Text,
    /** The user's own name for it, of which an account has one active connection. */
    name: Text,
    /** Another server that speaks the processor's API, in test mode; only owners may name it. */
    apiUrl: Text.optional(),
  })
  .meta({ id: 'DashboardNewConnection' });
const Rotation = References.extend({
  /** Refuses notifications signed by the previous webhook secret from now on. */
  dropPrevious: z.literal(true),
})
  .partial()
  .refine((given) => Object.values(given).some((one) => one !== undefined), {
    error: 'Must have at least one of secretKey, webhookSecret, publishableKey and dropPrevious.',
  })
  .meta({ id: 'DashboardConnectionRotation' });

const common = { tag: 'Processor accounts' } as const;
const PATH = '/dashboard/api/connections';
const params = z.object({ id: z.string().regex(/^con_[0-9a-f]{1,64}$/) });

const callAnswer = ({ what, at, tookMs, outcome, code, detail, processorTransactionId }: EndedCall) => ({
  what,
  at: formatTime(at),
  tookMs: Math.max(0, Math.round(tookMs)),
  outcome,
  code,
  detail,
  processorTransactionId,
});

export function connectionRoutes({ connections, circuits, queries, world }: RouteParts): readonly Route[] {
  const { known, processors } = connections;
  const may = MAY.connections;
  const callsOf = (accountId: string, connectionId: string) => {
    const { isOpen = false, changedMs, triesInMs } = circuits.statusOf({ accountId, connectionId }) ?? {};
    const [lastCall] = circuits.lastCalls({ accountId, connectionId });
    return { circuit: { open: isOpen, changedMs, triesInMs }, lastCall: lastCall && callAnswer(lastCall) };
  };
  const answerOf = async (row: ConnectionRow, by: Caller): Promise<ConnectionAnswer> => {
    const { secrets, ...members } = connectionMembers(row, world.now());
    const problems = await known.problemsOf(row, by);
    return {
      ...members,
      secrets: Object.entries(secrets).map(([name, reference]) => ({ name, reference, problem: problems.get(name) })),
      ...callsOf(row.doc.accountId, row.id),
    };
  };
  /** As the change left it: a repeated request gets the first answer. */
  const after = ({ id, doc }: { readonly id: string; readonly doc: ConnectionState }, by: Caller) => {
    if (doc.status === 'absent') throw new TypeError('a command completed without a connection');
    return answerOf({ id, doc }, by);
  };
  return [
    route({
      ...common,
      method: 'GET',
      scope: may.read,
      path: PATH,
      summary: 'List the connections of the account, oldest first, with their circuits and last calls',
      request: z.object({}),
      answer: ConnectionList,
      async handle(_request, { caller }) {
        const listed = await known.listOf(caller.accountId);
        const rows = await Promise.all(listed.map((row) => answerOf(row, caller)));
        const builtIn = connections.builtIn.map((id) => ({ id, ...callsOf(caller.accountId, id) }));
        return page(
          rows,
          (one) => one,
          (_shown, isCut) => ({ builtIn, processors, isCut }),
        );
      },
    }),
    route({
      ...common,
      method: 'GET',
      scope: may.read,
      path: '/dashboard/api/connection-totals',
      summary: 'Sum up what each connection of the account authorized in the last 30 days',
      request: z.object({}),
      answer: ConnectionTotals,
      handle: async (_request, { caller: { accountId, at } }) =>
        found({ days: TAKEN_DAYS, data: await queries.takenByConnection(accountId, at) }),
    }),
    route({
      ...common,
      method: 'POST',
      scope: may.look,
      path: `${PATH}/references/look`,
      summary: 'Say whether the process that responds can use the secret that a reference names, without showing it',
      request: z.object({ body: AskedReference }),
      answer: ReferenceUse,
      async handle({ body }) {
        const isUsable = await connections.canUse(body);
        return typeof isUsable === 'boolean' ? found({ isUsable }) : isUsable;
      },
    }),
    route({
      ...common,
      method: 'POST',
      scope: may.name,
      path: PATH,
      summary: 'Add a connection; only this response contains the path for its notifications',
      request: z.object({ body: New }),
      answer: ConnectionMade,
      errors: ['Conflict'],
      async handle({ body }, { caller, user }) {
        // it is sent the key that a reference names, and may be any server that this machine reaches
        if (body.apiUrl !== undefined && user?.role !== 'owner')
          return reject(
            'InsufficientScope',
            'Naming another server needs the role owner: the secret key is sent to it.',
          );
        return shapedLater(await connections.add({ accountId: caller.accountId, ...body }, caller), async (added) => ({
          connection: await after(added, caller),
          path: `/webhooks/${added.doc.processor}/${added.token}`,
        }));
      },
    }),
    route({
      ...common,
      method: 'GET',
      scope: may.read,
      path: `${PATH}/:id`,
      summary: 'Read a connection and its last calls on the process that responds',
      request: z.object({ params }),
      answer: ConnectionDetail,
      async handle({ params: { id } }, { caller }) {
        const row = await known.read(id);
        if (row?.doc.accountId !== caller.accountId) return notFound();
        const calls = circuits.lastCalls({ accountId: row.doc.accountId, connectionId: id }).map(callAnswer);
        return found({ connection: await answerOf(row, caller), calls });
      },
    }),
    route({
      ...common,
      method: 'POST',
      scope: may.name,
      path: `${PATH}/:id/rotate`,
      summary: 'Replace references of a connection; the previous secret of notifications stays valid for 24 hours',
      request: z.object({ params, body: Rotation }),
      answer: ConnectionAnswer,
      errors: ['Conflict'],
      handle: async ({ params: { id }, body }, { caller }) =>
        shapedLater(await connections.rotate(id, body, caller), (done) => after(done, caller)),
    }),
    route({
      ...common,
      method: 'POST',
      scope: may.disable,
      path: `${PATH}/:id/disable`,
      summary: 'Disable a connection permanently: no new payment begins by it',
      request: z.object({ params }),
      answer: ConnectionAnswer,
      handle: async ({ params: { id } }, { caller }) =>
        shapedLater(await connections.disable(id, caller), (done) => after(done, caller)),
    }),
    route({
      ...common,
      method: 'POST',
      scope: may.check,
      path: `${PATH}/:id/check`,
      summary: 'Ask the processor about its account of a connection',
      request: z.object({ params }),
      answer: Examination,
      errors: ['Conflict'],
      async handle({ params: { id } }, { caller }) {
        const examined = await connections.examine(id, caller);
        if (examined.kind === 'rejected') return examined;
        const { lines } = examined;
        return found({ isGood: lines.every(({ isGood }) => isGood), lines });
      },
    }),
  ];
}
