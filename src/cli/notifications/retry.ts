// counterfoil notifications retry: a parked notification is handled again now, and the command prints the result.
import type { Command } from 'commander';
import { type CommonOptions, declare, STORE_SETTINGS } from '../command.ts';
import { EXIT } from '../exit.ts';
import { print, tell } from '../output.ts';
import { changeNotification } from './change.ts';

export function notificationsRetry(parent: Command): void {
  declare(parent, {
    usage: 'retry <id>',
    summary: 'Handle a parked notification again now; exit code 1 when it stays parked',
    examples: ['notifications retry 0f3a5c7e'],
    settings: STORE_SETTINGS,
  }).action(async (id: string, options: CommonOptions) => {
    const { notificationView } = await import('../../queries/notifications/notification-view.ts');
    const { parkedReason } = await import('../../domain/notification/parked-reason.ts');
    const { doc, processors } = await changeNotification(options, (service) => service.notifications.retryNotification(id));
    if (doc.status === 'parked') {
      if (options.json === true) print({ json: notificationView(id, doc, processors), text: '' }, options);
      tell(`${id} stays parked: ${parkedReason(doc.reason)}`);
      process.exitCode = EXIT.refused;
      return;
    }
    print(
      {
        json: notificationView(id, doc, processors),
        text: doc.status === 'applied' ? `${id} is applied to ${doc.paymentId}.` : `${id} is ${doc.status}.`,
      },
      options,
    );
  });
}
