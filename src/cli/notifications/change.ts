// counterfoil notifications retry and discard: change one parked notification, on record as an act of an operator.
import type { Command } from 'commander';
import type { Adapters } from '../../adapters.ts';
import type { Answer, Completed } from '../../commands/caller.ts';
import type { Notification } from '../../domain/notification/state.ts';
import type { Service } from '../../service.ts';
import { type CommonOptions, declare, STORE_SETTINGS } from '../command.ts';
import { EXIT } from '../exit.ts';
import { print, tell } from '../output.ts';

export function notificationsRetry(parent: Command): void {
  declare(parent, {
    usage: 'retry <id>',
    summary: 'Retry a parked notification now; exits 1 if it stays parked',
    examples: ['notifications retry 0f3a5c7e'],
    settings: STORE_SETTINGS,
  }).action(async (named: string, options: CommonOptions) => {
    const { notificationView } = await import('../../queries/notifications/notification-view.ts');
    const { parkedReason } = await import('../../domain/notification/parked-reason.ts');
    const { id, doc, processors } = await changeNotification(named, options, (service, one) =>
      service.notifications.retryNotification(one),
    );
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

export function notificationsDiscard(parent: Command): void {
  declare(parent, {
    usage: 'discard <id>',
    summary: 'Discard a parked notification permanently; its content is never applied',
    examples: ['notifications discard 0f3a5c7e'],
    settings: STORE_SETTINGS,
  }).action(async (named: string, options: CommonOptions) => {
    const { notificationView } = await import('../../queries/notifications/notification-view.ts');
    const { id, doc, processors } = await changeNotification(named, options, (service, one) =>
      service.notifications.discardNotification(one),
    );
    print({ json: notificationView(id, doc, processors), text: `${id} is discarded.` }, options);
  });
}

/**
 * Waits until every process has the change. Throws Refused for a notification that does not exist, or that is handled
 * or discarded already.
 */
async function changeNotification(
  named: string,
  options: CommonOptions,
  change: (service: Service, id: string) => Promise<Answer<Notification>>,
): Promise<Completed<Notification> & Pick<Adapters, 'processors'>> {
  const { withService } = await import('../open/with-stores.ts');
  const { unlessRefused, untilEffective } = await import('../effect.ts');
  const { notifications } = await import('../../projections/models/notifications.ts');
  const { wholeNotificationId } = await import('../whole-id.ts');
  return withService(options, async ({ service }) => {
    const id = await wholeNotificationId(service.readModels, named);
    const changed = unlessRefused(await change(service, id));
    await untilEffective(service, notifications, changed);
    return { ...changed, processors: service.processors };
  });
}
