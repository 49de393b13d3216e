// Around every request: how many, how long, and what came out; and the connections that never became one.
import type { Server } from 'node:http';
import type { Around } from '../http/app.ts';
import { statusOf } from '../http/exchange.ts';
import type { World } from '../world.ts';
import type { Meters, RefusedBecause } from './meters.ts';
import { methodOf, routeOf } from './request-labels.ts';

export const meteredRequests = (meters: Pick<Meters, 'requestStarted' | 'requestEnded'>, world: Pick<World, 'monotonic'>): Around =>
  async function meterRequest(ctx, next) {
    const start = world.monotonic();
    meters.requestStarted();
    try {
      await next();
    } finally {
      meters.requestEnded(routeOf(ctx), methodOf(ctx), statusOf(ctx), world.monotonic() - start);
    }
  };

/** Undefined: the client hung up, which is no refusal. */
function reasonOf(code: string): RefusedBecause | undefined {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'slow';
  // The parser names bytes that are not HTTP; an end in the middle of a request is none of them.
  return code.startsWith('HPE_') && code !== 'HPE_INVALID_EOF_STATE' ? 'malformed' : undefined;
}

/** Counts what Node turns away before there is a request: sockets over the limit, slow senders, and bytes that are not HTTP. */
export function meterConnections(server: Server, meters: Pick<Meters, 'connectionRefused'>): void {
  server.on('drop', () => meters.connectionRefused('limit'));
  server.on('clientError', (fault: NodeJS.ErrnoException) => {
    const reason = reasonOf(fault.code ?? '');
    if (reason !== undefined) meters.connectionRefused(reason);
  });
}
