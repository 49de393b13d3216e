// The account's connections to processors for the dashboard: added, given new references, disabled and examined by its
// users. No answer has a secret, but the URL of a new connection, once.
import { z } from 'zod';
import type { Answer, Caller } from '../../../commands/caller.ts';
import type { AccountConnections, ConnectionRow } from '../../../commands/connections/connections.ts';
import type {
  ConnectionAdded,
  examineConnection,
  NewConnection,
} from '../../../commands/connections/manage-connections.ts';
import type { Circuits, EndedCall } from '../../../commands/limits/circuits.ts';
import type { NewReferences } from '../../../domain/connection/decide.ts';
import type { ConnectionState } from '../../../domain/connection/state.ts';
import { type Rejection, reject } from '../../../domain/decider.ts';
import { formatTime, type World } from '../../../world.ts';
import { page } from '../../answer-size.ts';
import { connectionMembers } from '../../answers/connection.ts';
import { aboutStore, forConfirmed, forRoles, found, notFound, type Route, route } from '../../route.ts';

const time = z.iso.datetime({ precision: 3 });
const ms = z.int().min(0);
const Call = z.strictObject({
  /** An operation of a payment, or another call: "look-up". */
  what: z.string(),
  at: time,
  tookMs: ms,
  /** The outcome's kind: `succeeded`, `declined`, `unknown`. */
  outcome: z.string(),
  /** The reason of a refusal. */
  code: z.string().nullable(),
  /** The words of a failure, with the processor's id of the request if it gave one. */
  detail: z.string().nullable(),
  processorTransactionId: z.string().nullable(),
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
        /** Why the process that responds cannot use it; null if it can. */
        problem: z.string().nullable(),
      }),
    ),
    /** Until then notifications signed by the previous secret are accepted; null if there is none. */
    previousWebhookSecretUntil: time.nullable(),
    /** Not secret: browsers see it. */
    publishableKey: z.string().nullable(),
    /** Another server that speaks the processor's API; null: the processor's own. */
    apiUrl: z.string().nullable(),
    /** True if a run of `connections check --script` has passed at its server. */
    burnProven: z.boolean(),
    /** The API key that the URL for notifications stands for. */
    webhookKeyId: z.string().nullable(),
    /** How far the processor's own list of events was read; null: not yet, or it lists none. */
    eventsSweptUntil: time.nullable(),
    createdAt: time,
    disabledAt: time.nullable(),
    /** On the process that responds. */
    circuit: z.strictObject({
      open: z.boolean(),
      /** Since it last opened or closed; null if it has been closed since the process started. */
      changedMs: ms.nullable(),
      /** Until an operation may try the processor; null while the circuit is closed. */
      triesInMs: ms.nullable(),
    }),
    /** The last call of the process that responds; null if there was none since it started. */
    lastCall: Call.nullable(),
  })
  .meta({ id: 'DashboardConnection' });
type ConnectionAnswer = z.input<typeof ConnectionAnswer>;
const ConnectionList = z
  .strictObject({
    data: z.array(ConnectionAnswer).readonly(),
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

const Text = z.string().min(1).max(1_024);
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

export interface ConnectionRouteNeeds {
  readonly connections: {
    readonly known: Pick<AccountConnections, 'listOf' | 'read' | 'problemsOf'>;
    readonly processors: readonly string[];
    readonly add: (added: NewConnection, by: Caller) => Promise<ConnectionAdded | Rejection>;
    readonly rotate: (id: string, references: NewReferences, by: Caller) => Promise<Answer<ConnectionState>>;
    readonly disable: (id: string, by: Caller) => Promise<Answer<ConnectionState>>;
    readonly examine: (id: string, by: Caller) => ReturnType<typeof examineConnection>;
  };
  readonly circuits: Pick<Circuits, 'statusOf' | 'lastCalls'>;
  readonly world: World;
}

const PATH = '/dashboard/api/connections';
const common = { tag: 'Processor accounts' } as const;
const reads = { ...common, method: 'GET', scope: forRoles('owner', 'developer') } as const;
const confirmed = forConfirmed('owner', 'developer');
/** A reference may name any variable or file of the machine, so it concerns every account of the store. */
const names = { ...common, method: 'POST', scope: aboutStore(confirmed) } as const;
const params = z.object({ id: z.string().regex(/^con_[0-9a-f]{1,64}$/) });

const callAnswer = ({ what, at, tookMs, outcome, code, detail, processorTransactionId }: EndedCall) => ({
  what,
  at: formatTime(at),
  tookMs: Math.max(0, Math.round(tookMs)),
  outcome,
  code: code ?? null,
  detail: detail ?? null,
  processorTransactionId: processorTransactionId ?? null,
});

export function connectionRoutes({ connections, circuits, world }: ConnectionRouteNeeds): readonly Route[] {
  const { known, processors } = connections;
  const answerOf = async (row: ConnectionRow, by: Caller): Promise<ConnectionAnswer> => {
    const circuitOf = { accountId: row.doc.accountId, connectionId: row.id };
    const { secrets, ...members } = connectionMembers(row, world.now());
    const problems = await known.problemsOf(row, by);
    const circuit = circuits.statusOf(circuitOf);
    const [lastCall] = circuits.lastCalls(circuitOf);
    return {
      ...members,
      secrets: Object.entries(secrets).map(([secret, reference]) => ({
        name: secret,
        reference,
        problem: problems.get(secret) ?? null,
      })),
      circuit: {
        open: circuit?.isOpen ?? false,
        changedMs: circuit?.changedMs ?? null,
        triesInMs: circuit?.triesInMs ?? null,
      },
      lastCall: lastCall === undefined ? null : callAnswer(lastCall),
    };
  };
  const ofAccount = async (id: string, { accountId }: Caller): Promise<ConnectionRow | undefined> => {
    const row = await known.read(id);
    return row?.doc.accountId === accountId ? row : undefined;
  };
  /** As the change left it: a repeated request gets the first answer. */
  const changed = async ({ id, doc, replayed = false }: Exclude<Answer<ConnectionState>, Rejection>, by: Caller) =>
    doc.status === 'absent' ? notFound() : { ...found(await answerOf({ id, doc }, by)), ...(replayed && { replayed }) };
  return [
    route({
      ...reads,
      path: PATH,
      summary: 'List the connections of the account, oldest first, with their circuits and last calls',
      request: z.object({}),
      answer: ConnectionList,
      async handle(_request, { caller }) {
        const listed = await known.listOf(caller.accountId);
        const rows = await Promise.all(listed.map((row) => answerOf(row, caller)));
        return page(
          rows,
          (one) => one,
          (_shown, isCut) => ({ processors, isCut }),
        );
      },
    }),
    route({
      ...names,
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
        const added = await connections.add({ accountId: caller.accountId, ...body }, caller);
        if (added.kind === 'rejected') return added;
        const { id, doc, token, replayed = false } = added;
        const connection = await answerOf({ id, doc }, caller);
        return {
          ...found({ connection, path: `/webhooks/${doc.processor}/${token}` }),
          ...(replayed && { replayed }),
        };
      },
    }),
    route({
      ...reads,
      path: `${PATH}/:id`,
      summary: 'Read a connection and its last calls on the process that responds',
      request: z.object({ params }),
      answer: ConnectionDetail,
      async handle({ params: { id } }, { caller }) {
        const row = await ofAccount(id, caller);
        if (row === undefined) return notFound();
        const calls = circuits.lastCalls({ accountId: row.doc.accountId, connectionId: id }).map(callAnswer);
        return found({ connection: await answerOf(row, caller), calls });
      },
    }),
    route({
      ...names,
      path: `${PATH}/:id/rotate`,
      summary: 'Replace references of a connection; the previous secret of notifications stays valid for 24 hours',
      request: z.object({ params, body: Rotation }),
      answer: ConnectionAnswer,
      errors: ['Conflict'],
      async handle({ params: { id }, body }, { caller }) {
        const rotated = await connections.rotate(id, body, caller);
        return rotated.kind === 'rejected' ? rotated : changed(rotated, caller);
      },
    }),
    route({
      ...common,
      method: 'POST',
      scope: confirmed,
      path: `${PATH}/:id/disable`,
      summary: 'Disable a connection permanently: no new payment begins by it',
      request: z.object({ params }),
      answer: ConnectionAnswer,
      async handle({ params: { id } }, { caller }) {
        const disabled = await connections.disable(id, caller);
        return disabled.kind === 'rejected' ? disabled : changed(disabled, caller);
      },
    }),
    route({
      ...common,
      method: 'POST',
      scope: forRoles('owner', 'developer'),
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
