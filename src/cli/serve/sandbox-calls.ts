// Lets other nodes use the sandbox that is in this process.
import type { SandboxCalls } from '../../http/sandbox-calls.ts';
import { CALL_SIGNATURE_HEADER, CALLS_PATH } from '../../processors/sandbox/remote/call-signature.ts';
import type { Opened } from '../open/open.ts';

/** Undefined where the sandbox is on another node, or there is none. Its module is loaded with the first call: most nodes are alone. */
export function sandboxCallsOf({ config, sandbox, secrets, world }: Opened): SandboxCalls | undefined {
  if (sandbox === undefined || config.sandboxUrl !== undefined) return undefined;
  const keys = secrets.keys('sandbox-call');
  let answering: Promise<SandboxCalls['answer']> | undefined;
  const load = async (): Promise<SandboxCalls['answer']> =>
    (await import('../../processors/sandbox/remote/call-host.ts')).callHost({ sandbox, keys, world });
  return {
    path: CALLS_PATH,
    signatureHeader: CALL_SIGNATURE_HEADER,
    async answer(called, signal) {
      answering ??= load();
      return (await answering)(called, signal);
    },
  };
}
