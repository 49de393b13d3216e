// counterfoil notifications discard: a parked notification is given up for good, on record as an act of an operator.
import type { Command } from 'commander';
import { type CommonOptions, declare, STORE_SETTINGS } from '../command.ts';
import { print } from '../output.ts';
import { changeNotification } from './change.ts';

export function notificationsDiscard(parent: Command): void {
  declare(parent, {
    usage: 'discard <id>',
    summary: 'Give a parked notification up for good; its content is never applied',
    examples: ['notifications discard 0f3a5c7e'],
    settings: STORE_SETTINGS,
  }).action(async (id: string, options: CommonOptions) => {
    const { notificationView } = await import('../../queries/notifications/notification-view.ts');
    const { doc, processors } = await changeNotification(options, (service) => service.notifications.discardNotification(id));
    print({ json: notificationView(id, doc, processors), text: `${id} is discarded.` }, options);
  });
}
