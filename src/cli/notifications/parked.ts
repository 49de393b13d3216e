// counterfoil notifications parked: processors' notifications that name no known payment, and wait for it.
import type { Command } from 'commander';
import type { NotificationKey } from '../../projections/notifications.ts';
import type { Query } from '../../stores/read-models.ts';
import { type CommonOptions, declare, STORE_SETTINGS } from '../command.ts';
import { parseWholeNumber } from '../duration.ts';
import { print, tell } from '../output.ts';
import { table } from '../table.ts';
import type { NotificationView } from './view.ts';

interface Options extends CommonOptions {
  readonly limit: number;
}

const PARKED: Pick<Query<NotificationKey>, 'where' | 'order'> = {
  where: { parkedAt: { from: 0 } },
  order: { by: 'parkedAt', descending: false },
};

export function notificationsParked(parent: Command): void {
  declare(parent, {
    usage: 'parked',
    summary: 'Notifications that name no known payment, oldest first; they are retried by themselves',
    examples: ['notifications parked'],
    settings: STORE_SETTINGS,
  })
    .option('--limit <n>', 'how many at most', parseWholeNumber(1, 999), 100)
    .action(async ({ limit, ...options }: Options) => {
      const { withService } = await import('../open/with-stores.ts');
      const { notifications } = await import('../../projections/notifications.ts');
      const { notificationView } = await import('./view.ts');
      await withService(options, async ({ service }) => {
        const found = await service.readModels.find(notifications, { ...PARKED, limit: limit + 1 });
        const data = found.slice(0, limit).map(({ id, doc }) => notificationView(id, doc));
        print({ json: { data }, text: asTable(data) }, options);
        if (found.length > limit) tell(`There are more than ${limit}; --limit shows up to 999.`);
      });
    });
}

const asTable = (parked: readonly NotificationView[]): string =>
  table(
    ['id', 'processor', 'account', 'notification', 'parked', 'retries', 'next', 'reason'],
    parked.map(({ id, processor = '', accountId = '', notificationId = '', parkedAt = '', retries = 0, retryAt = '', reason = '' }) => [
      id,
      processor,
      accountId,
      notificationId,
      parkedAt,
      String(retries),
      retryAt,
      reason,
    ]),
  );
