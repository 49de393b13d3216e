// Changes an API key and waits until the change holds for every request of every process.
import type { Answer } from '../../commands/caller.ts';
import type { ApiKey } from '../../domain/api-key/state.ts';
import type { Service } from '../../service.ts';
import type { CommonOptions } from '../command.ts';
import { print } from '../output.ts';
import type { KeyView } from './view.ts';

/** Prints the changed key. Throws Refused for a key that does not exist, or that cannot be changed any more. */
export async function changeKey(
  id: string,
  options: CommonOptions,
  change: (service: Service) => Promise<Answer<ApiKey>>,
  text: (key: KeyView) => string,
): Promise<void> {
  const { withService } = await import('../open/with-stores.ts');
  const { unlessRefused, untilEffective } = await import('../effect.ts');
  const { apiKeys } = await import('../../projections/models/api-keys.ts');
  const { keyView } = await import('./view.ts');
  await withService(options, async ({ service, world }) => {
    const changed = unlessRefused(await change(service));
    await untilEffective(service, apiKeys, changed);
    if (changed.doc.status === 'absent') throw new TypeError('a key that was just changed is absent');
    const key = keyView(id, changed.doc, world.now());
    print({ json: key, text: text(key) }, options);
  });
}
