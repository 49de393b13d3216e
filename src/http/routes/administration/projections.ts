// Read models: how far each is, and their rebuilds, which go on when the browser goes.
import { z } from 'zod';
import type { ProjectionStatus } from '../../../projections/engine/health/status.ts';
import type { RebuildResult } from '../../../projections/engine/rebuild/result.ts';
import type { RebuildView } from '../../../projections/running/rebuilds.ts';
import { formatTime } from '../../../world.ts';
import { Instant } from '../../answers/shapes.ts';
import { type Refusal, refuse } from '../../errors.ts';
import { found, notFound, type Route, route } from '../../route.ts';
import type { ServingParts } from '../parts.ts';
import { MAY } from './ways.ts';

const count = z.int().min(0);
const OPERATORS_ONLY = 'Of all accounts: absent for other users than operators of the store.';
const Proof = z.strictObject({
  equal: z.boolean(),
  swapped: z.boolean(),
  versionChanged: z.boolean(),
  version: z.int(),
  versionBefore: z.int().optional(),
  generation: z.int(),
  generationBefore: z.int().optional(),
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
      .optional()
      .meta({ description: 'The user who started the rebuild; absent for a user of another account.' }),
    node: z.string(),
    startedAt: Instant,
    elapsedMs: count,
    step: z.enum(['claiming', 'building', 'indexing', 'joining', 'comparing']),
    events: count,
    /** The part of the log that was read, 0 to 1. */
    share: z.number().min(0).max(1),
    proof: Proof.optional().meta({ description: OPERATORS_ONLY }),
    fault: z.string().optional().meta({ description: OPERATORS_ONLY }),
  })
  .meta({ id: 'DashboardRebuild' });
const Projection = z.strictObject({
  name: z.string(),
  version: z.int(),
  generation: z.int().optional(),
  state: z.enum(['live', 'building', 'joining', 'missing', 'other log']),
  checkpoint: z.string(),
  lagEvents: count,
  lagSeconds: count,
  documents: count.optional().meta({ description: OPERATORS_ONLY }),
  parked: count.optional().meta({ description: OPERATORS_ONLY }),
  /** The rebuild under way, or the last one that a user started. */
  rebuild: Rebuild.optional(),
});
const ProjectionList = z.strictObject({ data: z.array(Projection).readonly() }).meta({ id: 'DashboardProjections' });

const params = z.object({ name: z.string().regex(/^[a-z][a-z0-9-]{0,63}$/) });
interface ReadModelParts extends Pick<ServingParts, 'rebuilds' | 'recordAct'> {
  readonly projections: Pick<ServingParts['projections'], 'status'>;
  readonly queries: Pick<ServingParts['queries'], 'operatesStore'>;
}

const PATH = '/dashboard/api/projections';

export function projectionRoutes({ projections, rebuilds, recordAct, queries }: ReadModelParts): readonly Route[] {
  const reads = { tag: 'Projections', method: 'GET', scope: MAY.readModels.read } as const;
  const viewerOf = async (accountId: string): Promise<Viewer> => ({
    accountId,
    isOperator: await queries.operatesStore(accountId),
  });
  const answerOf = async (name: string, viewer: Viewer) => {
    const view = (await rebuilds.views([name])).get(name);
    return view === undefined ? notFound() : found(rebuildAnswer(name, view, viewer));
  };
  const status = shared(() => projections.status());
  return [
    route({
      ...reads,
      path: PATH,
      summary: 'List the read models: version, generation, checkpoint, lag, documents, parked streams, rebuild',
      request: z.object({}),
      answer: ProjectionList,
      async handle(_, { caller: { accountId } }) {
        const [all, views, viewer] = await Promise.all([status(), rebuilds.views(), viewerOf(accountId)]);
        return found({ data: all.map((one) => projectionAnswer(one, views.get(one.name), viewer)) });
      },
    }),
    route({
      ...reads,
      path: `${PATH}/:name/rebuild`,
      summary: 'Read the state of a rebuild, or the result of the last one',
      request: z.object({ params }),
      answer: Rebuild,
      handle: async ({ params: { name } }, { caller: { accountId } }) => answerOf(name, await viewerOf(accountId)),
    }),
    route({
      ...reads,
      method: 'POST',
      scope: MAY.readModels.rebuild,
      path: `${PATH}/:name/rebuild`,
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
            return answerOf(name, { accountId, isOperator: true });
          default:
            return start satisfies never;
        }
      },
    }),
  ];
}

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

interface Viewer {
  /** Undefined: of every account that operates the store. */
  readonly accountId?: string;
  readonly isOperator: boolean;
}

const projectionAnswer = (
  { documents, parked, ...status }: ProjectionStatus,
  view: RebuildView | undefined,
  viewer: Viewer,
): z.input<typeof Projection> => ({
  ...status,
  ...(viewer.isOperator && { documents, parked }),
  rebuild: view && rebuildAnswer(status.name, view, viewer),
});

/** As the routes answer it to a user, and as the live stream tells it to operators of the store. */
export function rebuildAnswer(
  projection: string,
  { by, result, fault, startedAt, ...view }: RebuildView,
  { accountId, isOperator }: Viewer = { isOperator: true },
): z.input<typeof Rebuild> {
  return {
    projection,
    ...view,
    userId: by.accountId === accountId ? by.userId : undefined,
    startedAt: formatTime(startedAt),
    ...(isOperator && { proof: result && proofAnswer(result), fault }),
  };
}

const proofAnswer = ({ name: _, broken, ...result }: RebuildResult): z.input<typeof Proof> => ({
  ...result,
  broken: broken.length,
});
