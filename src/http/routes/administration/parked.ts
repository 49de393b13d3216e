// Parked work: streams that a read model cannot go on with, and processors' notifications without a
// known payment or saved method.
import { z } from 'zod';
import type { ParkedStream } from '../../../projections/engine/parked/parked-records.ts';
import { notificationView, parkedNotifications } from '../../../queries/notifications.ts';
import { isStreamOf, ownParked } from '../../../queries/own-streams.ts';
import { formatTime } from '../../../world.ts';
import { cutText, page } from '../../answer-size.ts';
import { Instant } from '../../answers/shapes.ts';
import { type Refusal, refuse } from '../../errors.ts';
import { found, notFound, type Reply, type Route, route } from '../../route.ts';
import type { RouteParts } from '../parts.ts';
import { MAY } from './ways.ts';

const ParkedStreamAnswer = z.strictObject({
  /**
   * `log`: the stream itself is broken, for every read model. `limits`: the event store was told to lose events of it.
   */
  projection: z.string(),
  stream: z.string(),
  revision: z.int(),
  type: z.string(),
  reason: z.enum(['poison', 'unknown', 'broken', 'limited']),
  fault: z.string(),
  since: Instant,
});
const ParkedStreams = z
  .strictObject({
    data: z.array(ParkedStreamAnswer).readonly(),
    /** The streams of other accounts, as far as was looked; only the command line shows them. */
    others: z.int().min(0),
    /** False: more streams are parked, whose accounts were not looked for. */
    isWhole: z.boolean(),
  })
  .meta({ id: 'DashboardParkedStreams' });
const Named = z.strictObject({ projection: z.string().max(64), stream: z.string().min(1).max(200) });
const GoesOn = z
  .strictObject({ projection: z.string(), stream: z.string(), goesOn: z.boolean() })
  .meta({ id: 'DashboardUnparked' });
const ParkedNotification = z
  .strictObject({
    id: z.string(),
    status: z.enum(['absent', 'received', 'parked', 'applied', 'discarded']),
    processor: z.string().optional(),
    accountId: z.string().optional(),
    /** The processor's own id of it. */
    notificationId: z.string().optional(),
    type: z.string().optional(),
    paymentId: z.string().optional(),
    reference: z.string().optional(),
    processorTransactionId: z.string().optional(),
    processorToken: z.string().optional(),
    paymentMethodToken: z.string().optional(),
    reasonCode: z.string().optional(),
    reason: z.string().optional(),
    receivedAt: Instant.optional(),
    parkedAt: Instant.optional(),
    retries: z.int().optional(),
    /** null: it is no longer retried automatically. */
    retryAt: Instant.nullable().optional(),
    discardedBy: z.string().optional(),
    /** As it came, card numbers masked. */
    raw: z.string().optional(),
  })
  .meta({ id: 'DashboardParkedNotification' });
const ParkedNotifications = z
  .strictObject({ data: z.array(ParkedNotification).readonly(), hasMore: z.boolean() })
  .meta({ id: 'DashboardParkedNotifications' });

const MOST = 200;
/** A schema's fault may quote what it found. */
const MOST_FAULT_CHARACTERS = 2_000;
const reads = { tag: 'Parked', method: 'GET', scope: MAY.parked.read, request: z.object({}) } as const;
const changes = { tag: 'Parked', method: 'POST', scope: MAY.parked.change, errors: ['Conflict'] } as const;

export const parkedRoutes = (parts: RouteParts): readonly Route[] => [
  route({
    ...reads,
    path: '/dashboard/api/parked-streams',
    summary: 'List the parked streams of the account, each with the event that could not be projected',
    answer: ParkedStreams,
    async handle(_request, { caller: { accountId } }) {
      const parked = await parts.projections.parked();
      const { own, others, isWhole } = await ownParked(
        parked,
        ({ stream }) => isStreamOf(parts.events, stream, accountId),
        MOST,
      );
      return page(own, parkedAnswer, (_shown, isCut) => ({ others, isWhole: isWhole && !isCut }));
    },
  }),
  ...streamRoutes(parts),
  ...notificationRoutes(parts),
];

function streamRoutes({ projections, events, recordAct }: RouteParts): readonly Route[] {
  /** Goes on with a stream of the account; one of another account is none, whatever is asked of it. */
  const change = async (
    { projection, stream }: z.infer<typeof Named>,
    by: Parameters<typeof recordAct>[2] & { readonly accountId: string },
    type: 'ParkedStreamRetryRequested' | 'ParkedStreamDiscardRequested',
  ): Promise<Reply<z.infer<typeof GoesOn>> | Refusal> => {
    const { accountId } = by;
    const held = (await projections.parked()).find((one) => one.projection === projection && one.stream === stream);
    if (held === undefined || !(await isStreamOf(events, stream, accountId))) return notFound();
    const isDiscard = type === 'ParkedStreamDiscardRequested';
    const kept = isDiscard ? KEPT[projection] : undefined;
    if (kept !== undefined) return refuse('Conflict', kept);
    await recordAct(accountId, { type, data: { projection, stream, revision: held.revision } }, by);
    const goesOn = await (isDiscard ? projections.discard(projection, stream) : projections.retry(projection, stream));
    return found({ projection, stream, goesOn });
  };
  return [
    route({
      ...changes,
      path: '/dashboard/api/parked-streams/retry',
      summary: 'Retry a parked stream',
      request: z.object({ body: Named }),
      answer: GoesOn,
      handle: ({ body }, { caller }) => change(body, caller, 'ParkedStreamRetryRequested'),
    }),
    route({
      ...changes,
      path: '/dashboard/api/parked-streams/discard',
      summary: 'Skip the event that parks a stream, permanently and for this read model; the event stays in the log',
      request: z.object({ body: Named }),
      answer: GoesOn,
      handle: ({ body }, { caller }) => change(body, caller, 'ParkedStreamDiscardRequested'),
    }),
  ];
}

/** Why a stream that is parked for every read model is not skipped. */
const KEPT: { readonly [projection: string]: string } = {
  limits: 'A limit cannot be skipped. Remove it from the metadata of the stream in the event store.',
  log: 'A break cannot be skipped. Restore the log of the stream, then retry.',
};

function notificationRoutes({ readModels, processors, notifications }: RouteParts): readonly Route[] {
  const params = z.object({ id: z.string().regex(/^[0-9A-Za-z_-]{1,200}$/) });
  const { retryNotification, discardNotification } = notifications;
  return [
    route({
      ...reads,
      path: '/dashboard/api/parked-notifications',
      summary:
        'List parked notifications, oldest first: those without a known payment, and those that contradict one with the same id',
      answer: ParkedNotifications,
      async handle(_request, { caller: { accountId } }) {
        const parked = await parkedNotifications(readModels, accountId, MOST + 1);
        return page(
          parked.slice(0, MOST),
          ({ id, doc }) => notificationView(id, doc, processors),
          (shown) => ({ hasMore: parked.length > shown }),
        );
      },
    }),
    ...(['retry', 'discard'] as const).map((verb) =>
      route({
        ...changes,
        path: `/dashboard/api/parked-notifications/:id/${verb}`,
        summary: verb === 'retry' ? 'Retry a parked notification now' : 'Discard a parked notification permanently',
        request: z.object({ params }),
        answer: ParkedNotification,
        async handle({ params: { id } }, { caller }) {
          const own = await parkedNotifications(readModels, caller.accountId, MOST);
          if (!own.some((one) => one.id === id)) return notFound();
          const changed =
            verb === 'retry' ? await retryNotification(id, caller) : await discardNotification(id, caller);
          return changed.kind === 'rejected' ? changed : found(notificationView(id, changed.doc, processors));
        },
      }),
    ),
  ];
}

const parkedAnswer = ({ at, fault, ...parked }: ParkedStream): z.input<typeof ParkedStreamAnswer> => ({
  projection: parked.projection,
  stream: parked.stream,
  revision: parked.revision,
  type: parked.type,
  reason: parked.reason,
  fault: cutText(fault, MOST_FAULT_CHARACTERS),
  since: formatTime(at),
});
