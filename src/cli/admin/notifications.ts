// The work of counterfoil notifications: those of processors that name no known payment, or contradict an earlier one
// of the same id; a change of one is on record as an act of an operator.
import { appliedTo, type Notification, parkedReason } from '../../domain/notification/state.ts';
import { notifications } from '../../projections/models/notifications.ts';
import { type NotificationView, notificationView, PARKED } from '../../queries/notifications.ts';
import type { GivenValues } from '../command.ts';
import { effective } from '../effect.ts';
import { wholeNotificationId } from '../named.ts';
import type { Opened } from '../open/open.ts';
import type { CommandResult } from '../output.ts';
import type { notifications as rows } from '../rows/payments.ts';
import { none, paragraph, shortId, table } from '../table.ts';
import { roughly } from '../values.ts';

interface ParkedLine {
  readonly view: NotificationView;
  readonly record: Extract<Notification, { status: 'parked' }>;
}

export async function parked({ limit }: GivenValues<typeof rows.parked>, { service }: Opened): Promise<CommandResult> {
  const { readModels, processors, world } = service;
  const found = await readModels.find(notifications, { ...PARKED, limit: limit + 1 });
  const lines = found.slice(0, limit).flatMap(({ id, doc }): readonly ParkedLine[] => {
    return doc.status === 'parked' ? [{ view: notificationView(id, doc, processors), record: doc }] : [];
  });
  return {
    json: { data: lines.map(({ view }) => view) },
    text: asText(lines, world.now()),
    warnings: found.length > limit ? [`There are more than ${limit}; --limit shows up to 999.`] : [],
  };
}

export async function retry(
  { id: named }: GivenValues<typeof rows.retry>,
  { service }: Opened,
): Promise<CommandResult> {
  const id = await wholeNotificationId(service.readModels, named);
  const { doc } = await effective(service, notifications, await service.notifications.retryNotification(id));
  const json = notificationView(id, doc, service.processors);
  if (doc.status !== 'parked')
    return {
      json,
      text: doc.status === 'applied' ? `${id} is applied to ${appliedTo(doc)}.` : `${id} is ${doc.status}.`,
    };
  return { json, text: '', warnings: [`${id} stays parked: ${parkedReason(doc.reason)}`], isRefused: true };
}

export async function discard(
  { id: named }: GivenValues<typeof rows.discard>,
  { service }: Opened,
): Promise<CommandResult> {
  const id = await wholeNotificationId(service.readModels, named);
  const { doc } = await effective(service, notifications, await service.notifications.discardNotification(id));
  return { json: notificationView(id, doc, service.processors), text: `${id} is discarded.` };
}

/** A table for each reason, because one table has no room for all members. */
function asText(parked: readonly ParkedLine[], now: number): string {
  const alike = new Map<string, ParkedLine[]>();
  for (const one of parked) {
    const { accountId, processor } = one.record;
    const heading = `${processor} for ${shortId(accountId)}: ${one.view.reason ?? ''}`;
    alike.set(heading, [...(alike.get(heading) ?? []), one]);
  }
  if (alike.size === 0) return none('parked notifications');
  return [...alike].map(([heading, some]) => `${paragraph(heading)}\n${tableOf(some, now)}`).join('\n\n');
}

const tableOf = (parked: readonly ParkedLine[], now: number): string =>
  table(
    ['id', 'type', 'parked', 'tries', 'next', 'payment'],
    parked.map(
      ({
        view: { id, type = '', processorToken = '', reference = processorToken, paymentId = reference },
        record: { parkedAt, retries, retryAt },
      }) => [id, type, roughly(now - parkedAt), String(retries), nextOf(retryAt, now), paymentId],
    ),
  );

const nextOf = (retryAt: number | undefined, now: number): string =>
  retryAt === undefined ? 'by hand' : retryAt <= now ? 'now' : roughly(retryAt - now);
