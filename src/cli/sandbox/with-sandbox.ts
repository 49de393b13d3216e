// Runs a command's work on the sandbox of a configuration, wherever it is: in the data directory or on another node.
import type { Flags } from '../../config.ts';
import type { Sandbox } from '../../processors/sandbox/sandbox-interface.ts';
import type { SettingName } from '../../settings.ts';
import { configOf, STORE_SETTINGS } from '../command.ts';
import { Refused, WrongUsage } from '../exit.ts';
import type { Opened } from '../open/open.ts';

/** The settings of every command on the sandbox. */
export const SANDBOX_SETTINGS: readonly SettingName[] = [...STORE_SETTINGS, 'sandboxUrl'];

/**
 * As withService. Throws Refused in live mode, where there is no sandbox; WrongUsage beside stores that nodes share,
 * when no node with a sandbox is named and none is here.
 */
export async function withSandbox<T>(
  options: Flags,
  work: (sandbox: Sandbox, opened: Opened) => Promise<T>,
): Promise<T> {
  if (configOf(options).mode === 'live') throw new Refused('There is no sandbox in live mode.');
  const { withService } = await import('../open/with-stores.ts');
  return withService(options, async (opened) => {
    const { sandbox } = opened;
    if (sandbox !== undefined) return work(sandbox, opened);
    throw new WrongUsage(
      'The sandbox is not on this machine. Name its node with --sandbox-url (COUNTERFOIL_SANDBOX_URL).',
    );
  });
}
