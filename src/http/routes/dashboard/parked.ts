// Parked work for the dashboard: streams that a read model cannot go on with, and processors' notifications without a
// known payment.
import { z } from 'zod';
import type { RecordAct } from '../../../commands/acts/record-act.ts';
import type { Notifications } from '../../../commands/notifications/notifications.ts';
import type { Processor } from '../../../processors/processor.ts';
import type { Projections } from '../../../projections/engine/engine.ts';
import type { ParkedStream } from '../../../projections/engine/parked/parked-records.ts';
import { type NotificationView, notificationView } from '../../../queries/notifications/notification-view.ts';
import { parkedNotifications } from '../../../queries/notifications/parked-notifications.ts';
import { ownParked } from '../../../queries/streams/own-parked.ts';
import { isStreamOf } from '../../../queries/streams/own-streams.ts';
import type { EventStore } from '../../../stores/event-store.ts';
import type { ReadModels } from '../../../stores/read-models.ts';
import { formatTime } from '../../../world.ts';
import { cutText, page } from '../../answer-size.ts';
import { refuse } from '../../errors.ts';
import { forRoles, found, notFound, type Route, route } from '../../route.ts';

const time = z.iso.datetime({ precision: 3 });
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
  since: time,
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
    processor: z.string().nullable(),
    type: z.string().nullable(),
    paymentId: z.string().nullable(),
    reference: z.string().nullable(),
    reason: z.string().nullable(),
    receivedAt: time.nullable(),
    parkedAt: time.nullable(),
    retries: z.int().nullable(),
    /** null: it is no longer retried automatically. */
    retryAt: time.nullable(),
    /** As it came, card numbers masked. */
    raw: z.string().nullable(),
  })
  .meta({ id: 'DashboardParkedNotification' });
const ParkedNotifications = z
  .strictObject({ data: z.array(ParkedNotification).readonly(), hasMore: z.boolean() })
  .meta({ id: 'DashboardParkedNotifications' });

const MOST = 200;
/** A schema's fault may quote what it found. */
const MOST_FAULT_CHARACTERS = 2_000;
const common = { tag: 'Parked', scope: forRoles('owner', 'developer') } as const;

export interface ParkedRouteNeeds extends Pick<Notifications, 'retryNotification' | 'discardNotification'> {
  readonly projections: Pick<Projections, 'parked' | 'retry' | 'discard'>;
  readonly events: Pick<EventStore, 'read'>;
  readonly readModels: Pick<ReadModels, 'find' | 'get'>;
  readonly processors: ReadonlyMap<string, Processor>;
  readonly recordAct: RecordAct;
}

export const parkedRoutes = (needs: ParkedRouteNeeds): readonly Route[] => [...streams(needs), ...notifications(needs)];

function streams({ projections, events, recordAct }: ParkedRouteNeeds): readonly Route[] {
  /** A stream of another account is none, whatever is asked of it. */
  const held = async (
    accountId: string,
    { projection, stream }: z.infer<typeof Named>,
  ): Promise<ParkedStream | undefined> => {
    const found = (await projections.parked()).find((one) => one.projection === projection && one.stream === stream);
    return found !== undefined && (await isStreamOf(events, stream, accountId)) ? found : undefined;
  };
  return [
    route({
      ...common,
      method: 'GET',
      path: '/dashboard/api/parked-streams',
      summary: 'List the parked streams of the account, each with the event that could not be projected',
      request: z.object({}),
      answer: ParkedStreams,
      async handle(_request, { caller: { accountId } }) {
        const parked = await projections.parked();
        const { own, others, isWhole } = await ownParked(
          parked,
          ({ stream }) => isStreamOf(events, stream, accountId),
          MOST,
        );
        return page(own, parkedAnswer, (_shown, isCut) => ({ others, isWhole: isWhole && !isCut }));
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: '/dashboard/api/parked-streams/retry',
      summary: 'Retry a parked stream',
      request: z.object({ body: Named }),
      answer: GoesOn,
      async handle({ body }, { caller }) {
        const parked = await held(caller.accountId, body);
        if (parked === undefined) return notFound();
        await recordAct(caller.accountId, { type: 'ParkedStreamRetryRequested', data: namesOf(parked) }, caller);
        return found({ ...body, goesOn: await projections.retry(body.projection, body.stream) });
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: '/dashboard/api/parked-streams/discard',
      summary: 'Skip the event that parks a stream, permanently and for this read model; the event stays in the log',
      request: z.object({ body: Named }),
      answer: GoesOn,
      errors: ['Conflict'],
      async handle({ body }, { caller }) {
        const parked = await held(caller.accountId, body);
        if (parked === undefined) return notFound();
        if (parked.projection === 'limits')
          return refuse(
            'Conflict',
            'A limit cannot be skipped. Remove it from the metadata of the stream in the event store.',
          );
        if (parked.projection === 'log')
          return refuse('Conflict', 'A break cannot be skipped. Restore the log of the stream, then retry.');
        await recordAct(caller.accountId, { type: 'ParkedStreamDiscardRequested', data: namesOf(parked) }, caller);
        return found({ ...body, goesOn: await projections.discard(body.projection, body.stream) });
      },
    }),
  ];
}

function notifications(needs: ParkedRouteNeeds): readonly Route[] {
  const { readModels, processors, retryNotification, discardNotification } = needs;
  const params = z.object({ id: z.string().regex(/^[0-9A-Za-z_-]{1,200}$/) });
  const isOwn = async (id: string, accountId: string): Promise<boolean> =>
    (await parkedNotifications(readModels, accountId, MOST)).some((one) => one.id === id);
  return [
    route({
      ...common,
      method: 'GET',
      path: '/dashboard/api/parked-notifications',
      summary:
        'List parked notifications, oldest first: those without a known payment, and those that contradict one with the same id',
      request: z.object({}),
      answer: ParkedNotifications,
      async handle(_request, { caller: { accountId } }) {
        const parked = await parkedNotifications(readModels, accountId, MOST + 1);
        return page(
          parked.slice(0, MOST),
          ({ id, doc }) => notificationAnswer(notificationView(id, doc, processors)),
          (shown) => ({ hasMore: parked.length > shown }),
        );
      },
    }),
    ...(['retry', 'discard'] as const).map((verb) =>
      route({
        ...common,
        method: 'POST',
        path: `/dashboard/api/parked-notifications/:id/${verb}`,
        summary: verb === 'retry' ? 'Retry a parked notification now' : 'Discard a parked notification permanently',
        request: z.object({ params }),
        answer: ParkedNotification,
        errors: ['Conflict'],
        async handle({ params: { id } }, { caller }) {
          if (!(await isOwn(id, caller.accountId))) return notFound();
          const changed =
            verb === 'retry' ? await retryNotification(id, caller) : await discardNotification(id, caller);
          return changed.kind === 'rejected'
            ? changed
            : found(notificationAnswer(notificationView(id, changed.doc, processors)));
        },
      }),
    ),
  ];
}

const namesOf = ({ projection, stream, revision }: ParkedStream) => ({ projection, stream, revision });

const parkedAnswer = ({
  projection,
  stream,
  revision,
  type,
  reason,
  fault,
  at,
}: ParkedStream): z.input<typeof ParkedStreamAnswer> => ({
  projection,
  stream,
  revision,
  type,
  reason,
  fault: cutText(fault, MOST_FAULT_CHARACTERS),
  since: formatTime(at),
});

function notificationAnswer(view: NotificationView): z.input<typeof ParkedNotification> {
  const { id, status, processor = null, type = null, paymentId = null, reference = null, reason = null } = view;
  const { receivedAt = null, parkedAt = null, retries = null, retryAt = null, raw = null } = view;
  return { id, status, processor, type, paymentId, reference, reason, receivedAt, parkedAt, retries, retryAt, raw };
}
