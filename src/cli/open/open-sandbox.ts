// The sandbox of a configuration: on its own file in this process, or on another node; none in live mode.
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../config.ts';
import type { Sandbox } from '../../processors/sandbox/sandbox-interface.ts';
import type { Secrets } from '../../secrets.ts';
import type { World } from '../../world.ts';

interface SandboxParts {
  readonly publicUrl: () => string;
  readonly world: World;
  readonly report: (fault: unknown) => void;
}

/**
 * Undefined in live mode, and for a command on stores that nodes share when the sandbox is neither named nor here: an
 * empty one sandbox of its own would be no use. Throws StoreUnavailable if its file is locked; another node is not
 * asked for yet.
 */
export async function openSandboxOf(
  { mode, sandboxUrl: url, dataDir, eventStore }: Config,
  secrets: Secrets,
  forCommand: boolean,
  parts: SandboxParts,
): Promise<Sandbox | undefined> {
  if (mode === 'live') return undefined;
  const signatureKeys = secrets.keys('sandbox-signature');
  if (url !== undefined) {
    const { openRemoteSandbox } = await import('../../processors/sandbox/remote/remote-sandbox.ts');
    return openRemoteSandbox({ url, secrets: signatureKeys, callKeys: secrets.keys('sandbox-call'), ...parts });
  }
  const file = join(dataDir, 'sandbox.db');
  if (forCommand && eventStore.kind !== 'sqlite' && !(await isThere(file))) return undefined;
  return openSandboxIn(file, secrets, parts);
}

/** `file`: as openSandbox takes it. */
export async function openSandboxIn(file: string, secrets: Secrets, parts: SandboxParts): Promise<Sandbox> {
  const { openSandbox } = await import('../../processors/sandbox/sandbox.ts');
  return openSandbox({ file, secrets: secrets.keys('sandbox-signature'), ...parts });
}

const isThere = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );
