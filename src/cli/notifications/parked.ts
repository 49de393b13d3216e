// counterfoil notifications parked: processors' notifications that name no known payment, or contradict an earlier one
// of the same id.
import type { Command } from 'commander';
import type { Notification } from '../../domain/notification/state.ts';
import type { NotificationView } from '../../queries/notifications/notification-view.ts';
import { type CommonOptions, declare, STORE_SETTINGS } from '../command.ts';
import { parseWholeNumber, roughly } from '../duration.ts';
import { print, tell } from '../output.ts';
import { none, paragraph, shortId, table } from '../table.ts';

interface ParkedLine {
  readonly view: NotificationView;
  readonly record: Extract<Notification, { status: 'parked' }>;
}

interface NotificationsParkedOptions extends CommonOptions {
  readonly limit: number;
}

export function notificationsParked(parent: Command): void {
  declare(parent, {
    usage: 'parked',
    summary:
      'Parked notifications, oldest first: those without a known payment, retried for 30 days, and those that contradict one with the same id',
    examples: ['notifications parked'],
    settings: STORE_SETTINGS,
  })
    .option('--limit <n>', 'how many at most', parseWholeNumber(1, 999), 100)
    .action(async ({ limit, ...options }: NotificationsParkedOptions) => {
      const { withService } = await import('../open/with-stores.ts');
      const { notifications } = await import('../../projections/models/notifications.ts');
      const { PARKED } = await import('../../queries/notifications/parked-notifications.ts');
      const { notificationView } = await import('../../queries/notifications/notification-view.ts');
      await withService(options, async ({ service }) => {
        const found = await service.readModels.find(notifications, { ...PARKED, limit: limit + 1 });
        const { processors } = service;
        const parked = found.slice(0, limit).flatMap(({ id, doc }): readonly ParkedLine[] => {
          return doc.status === 'parked' ? [{ view: notificationView(id, doc, processors), record: doc }] : [];
        });
        print({ json: { data: parked.map(({ view }) => view) }, text: asText(parked, service.world.now()) }, options);
        if (found.length > limit) tell(`There are more than ${limit}; --limit shows up to 999.`);
      });
    });
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
      ({ view: { id, type = '', reference = '', paymentId = reference }, record: { parkedAt, retries, retryAt } }) => [
        id,
        type,
        roughly(now - parkedAt),
        String(retries),
        nextOf(retryAt, now),
        paymentId,
      ],
    ),
  );

const nextOf = (retryAt: number | undefined, now: number): string =>
  retryAt === undefined ? 'by hand' : retryAt <= now ? 'now' : `in ${roughly(retryAt - now)}`;
