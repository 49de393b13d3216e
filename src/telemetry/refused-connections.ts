// Counts the connections that never became a request.
import type { Server } from 'node:http';
import type { Meters, RefusedBecause } from './meters.ts';

/** Undefined: the client hung up, which is not a refusal. */
function reasonOf(code: string): RefusedBecause | undefined {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'slow';
  // The parser names bytes that are not HTTP; an end in the middle of a request is none of them.
  return code.startsWith('HPE_') && code !== 'HPE_INVALID_EOF_STATE' ? 'malformed' : undefined;
}

/**
 * Counts connections that Node refuses before there is a request: sockets over the limit, slow senders, and bytes that
 * are not HTTP.
 */
export function meterConnections(server: Server, meters: Pick<Meters, 'connectionRefused'>): void {
  server.on('drop', () => meters.connectionRefused('limit'));
  server.on('clientError', (fault: NodeJS.ErrnoException) => {
    const reason = reasonOf(fault.code ?? '');
    if (reason !== undefined) meters.connectionRefused(reason);
  });
}
