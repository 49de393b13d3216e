// Changes one notification and waits until the change holds for every process.

import type { Adapters } from '../../adapters.ts';
import type { Answer, Completed } from '../../commands/caller.ts';
import type { Notification } from '../../domain/notification/state.ts';
import type { Service } from '../../service.ts';
import type { CommonOptions } from '../command.ts';

/** Throws Refused for a notification that does not exist, or that is handled or discarded already. */
export async function changeNotification(
  options: CommonOptions,
  change: (service: Service) => Promise<Answer<Notification>>,
): Promise<Completed<Notification> & Pick<Adapters, 'processors'>> {
  const { withService } = await import('../open/with-stores.ts');
  const { unlessRefused, untilEffective } = await import('../effect.ts');
  const { notifications } = await import('../../projections/models/notifications.ts');
  return withService(options, async ({ service }) => {
    const changed = unlessRefused(await change(service));
    await untilEffective(service, notifications, changed);
    return { ...changed, processors: service.processors };
  });
}
