// Read models for the dashboard: how far each is, and their rebuilds, which go on when the browser goes.
import { z } from 'zod';
import type { RecordAct } from '../../../commands/acts/record-act.ts';
import type { Projections } from '../../../projections/engine/engine.ts';
import type { ProjectionStatus } from '../../../projections/engine/health/status.ts';
import type { RebuildResult } from '../../../projections/engine/rebuild/result.ts';
import type { Rebuilds, RebuildView } from '../../../projections/running/rebuilds.ts';
import { formatTime } from '../../../world.ts';
import { type Refusal, refuse } from '../../errors.ts';
import { aboutStore, forRoles, found, notFound, type Route, route } from '../../route.ts';
import type { OperatorNeeds } from './nodes.ts';

const count = z.int().min(0);
const OPERATORS_ONLY = 'Of all accounts: null for other users than operators of the store.';
const Proof = z.strictObject({
  equal: z.boolean(),
  swapped: z.boolean(),
  versionChanged: z.boolean(),
  version: z.int(),
  versionBefore: z.int().nullable(),
  generation: z.int(),
  generationBefore: z.int().nullable(),
  documents: count,
  documentsBefore: count,
  digestBefore: z.string(),
  digestAfter: z.string(),
  different: count,
  events: count,
  parked: count,
  /** It goes on without other streams than the live one did: the two are not comparable. */
  holesChanged: z.boolean(),
  broken: count,
  tookMs: count,
});
const Rebuild = z
  .strictObject({
    projection: z.string(),
    /** lost: its process gave no sign of life for long; the live read model is as it was. */
    state: z.enum(['running', 'done', 'failed', 'lost']),
    dryRun: z.boolean(),
    userId: z
      .string()
      .nullable()
      .meta({ description: 'The user who started the rebuild; null for a user of another account.' }),
    node: z.string(),
    startedAt: z.iso.datetime({ precision: 3 }),
    elapsedMs: count,
    step: z.enum(['claiming', 'building', 'indexing', 'joining', 'comparing']),
    events: count,
    /** The part of the log that was read, 0 to 1. */
    share: z.number().min(0).max(1),
    proof: Proof.nullable().meta({ description: OPERATORS_ONLY }),
    fault: z.string().nullable().meta({ description: OPERATORS_ONLY }),
  })
  .meta({ id: 'DashboardRebuild' });
const Projection = z.strictObject({
  name: z.string(),
  version: z.int(),
  generation: z.int().nullable(),
  state: z.enum(['live', 'building', 'joining', 'missing', 'other log']),
  checkpoint: z.string(),
  lagEvents: count,
  lagSeconds: count,
  documents: count.nullable().meta({ description: OPERATORS_ONLY }),
  parked: count.nullable().meta({ description: OPERATORS_ONLY }),
  /** The rebuild under way, or the last one that a user started. */
  rebuild: Rebuild.nullable(),
});
const ProjectionList = z.strictObject({ data: z.array(Projection).readonly() }).meta({ id: 'DashboardProjections' });

const params = z.object({ name: z.string().regex(/^[a-z][a-z0-9-]{0,63}$/) });
const common = { tag: 'Projections', scope: aboutStore(forRoles('owner', 'developer')) } as const;

export interface ProjectionRouteNeeds {
  readonly projections: Pick<Projections, 'status' | 'names'>;
  readonly rebuilds: Rebuilds;
  readonly recordAct: RecordAct;
}

export const projectionRoutes = (needs: ProjectionRouteNeeds & OperatorNeeds): readonly Route[] => {
  const { projections, rebuilds, recordAct, queries } = needs;
  const viewerOf = async (accountId: string): Promise<Viewer> => ({
    accountId,
    isOperator: await queries.operatesStore(accountId),
  });
  const status = shared(() => projections.status());
  return [
    route({
      ...common,
      method: 'GET',
      path: '/dashboard/api/projections',
      summary: 'List the read models: version, generation, checkpoint, lag, documents, parked streams, rebuild',
      request: z.object({}),
      answer: ProjectionList,
      async handle(_, { caller: { accountId } }) {
        const [all, views, viewer] = await Promise.all([status(), rebuilds.views(), viewerOf(accountId)]);
        return found({ data: all.map((one) => projectionAnswer(one, views.get(one.name), viewer)) });
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/dashboard/api/projections/:name/rebuild',
      summary: 'Read the state of a rebuild, or the result of the last one',
      request: z.object({ params }),
      answer: Rebuild,
      handle: async ({ params: { name } }, { caller: { accountId } }) =>
        answerOf(name, (await rebuilds.views([name])).get(name), await viewerOf(accountId)),
    }),
    route({
      ...common,
      method: 'POST',
      path: '/dashboard/api/projections/:name/rebuild',
      summary:
        'Rebuild a read model from the log next to the live one, prove both equal, and swap; a dry run stops before the swap',
      request: z.object({ params, body: z.strictObject({ dryRun: z.boolean().default(false) }) }),
      answer: Rebuild,
      errors: ['Conflict'],
      async handle({ params: { name }, body: { dryRun } }, { caller }) {
        const { accountId, actor } = caller;
        const request = { type: 'RebuildRequested', data: { projection: name, dryRun } } as const;
        const onRecord = (): Promise<void> => recordAct(accountId, request, caller);
        const start = await rebuilds.start(name, dryRun, { accountId, userId: actor.id }, onRecord);
        switch (start.kind) {
          case 'unknown':
            return notFound();
          case 'running':
            return underWay(name, start.view, accountId);
          case 'started':
            return answerOf(name, (await rebuilds.views([name])).get(name), { accountId, isOperator: true });
          default:
            return start satisfies never;
        }
      },
    }),
  ];
};

const answerOf = (name: string, view: RebuildView | undefined, viewer: Viewer) =>
  view === undefined ? notFound() : found(rebuildAnswer(name, view, viewer));

function underWay(name: string, view: RebuildView | undefined, accountId: string): Refusal {
  if (view === undefined)
    return refuse(
      'Conflict',
      `The read model ${name} is being built by another process: the command line, or a new version.`,
    );
  const { by, node, startedAt } = view;
  const starter = by.accountId === accountId ? by.userId : 'a user of another account';
  return refuse(
    'Conflict',
    `The read model ${name} is being rebuilt on ${node}, started by ${starter} at ${formatTime(startedAt)}.`,
  );
}

/** Calls that overlap share one look: each page of each tab asks every few seconds, and a look counts documents. */
function shared<T>(look: () => Promise<T>): () => Promise<T> {
  let looking: Promise<T> | undefined;
  return () => {
    looking ??= look().finally(() => {
      looking = undefined;
    });
    return looking;
  };
}

function projectionAnswer(
  one: ProjectionStatus,
  view: RebuildView | undefined,
  viewer: Viewer,
): z.input<typeof Projection> {
  const { name, version, generation = null, state, checkpoint, lagEvents, lagSeconds } = one;
  const { documents, parked } = viewer.isOperator ? one : { documents: null, parked: null };
  const rebuild = view === undefined ? null : rebuildAnswer(name, view, viewer);
  return { name, version, generation, state, checkpoint, lagEvents, lagSeconds, documents, parked, rebuild };
}

interface Viewer {
  /** Undefined: of every account that operates the store. */
  readonly accountId?: string;
  readonly isOperator: boolean;
}

/** As the routes answer it to a user, and as the live stream tells it to operators of the store. */
export function rebuildAnswer(
  projection: string,
  view: RebuildView,
  { accountId, isOperator }: Viewer = { isOperator: true },
): z.input<typeof Rebuild> {
  const { state, dryRun, by, node, startedAt, elapsedMs, step, events, share, result } = view;
  const proof = result === undefined || !isOperator ? null : proofAnswer(result);
  const fault = (isOperator ? view.fault : undefined) ?? null;
  const userId = by.accountId === accountId ? by.userId : null;
  return {
    projection,
    state,
    dryRun,
    userId,
    node,
    startedAt: formatTime(startedAt),
    elapsedMs,
    step,
    events,
    share,
    proof,
    fault,
  };
}

function proofAnswer(result: RebuildResult): z.input<typeof Proof> {
  const { equal, swapped, versionChanged, version, versionBefore = null, generation, generationBefore = null } = result;
  const {
    documents,
    documentsBefore,
    digestBefore,
    digestAfter,
    different,
    events,
    parked,
    holesChanged,
    broken,
    tookMs,
  } = result;
  const compared = { documents, documentsBefore, digestBefore, digestAfter, different };
  const generations = { version, versionBefore, generation, generationBefore };
  return {
    equal,
    swapped,
    versionChanged,
    ...generations,
    ...compared,
    events,
    parked,
    holesChanged,
    broken: broken.length,
    tookMs,
  };
}
