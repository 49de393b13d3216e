// Tells work that its caller is gone.
import type { Socket } from 'node:net';
import type { Exchange } from './exchange.ts';

/** The requests of a connection that are not answered yet. One listener for all of them: a client may pipeline many. */
const waiting = new WeakMap<Socket, Set<AbortController>>();

/** Aborts when the connection ends, and also when the answer was sent: nothing waits then. */
export function goneSignal({ req: { socket }, res }: Pick<Exchange, 'req' | 'res'>): AbortSignal {
  const gone = new AbortController();
  if (res.destroyed || socket.destroyed) {
    gone.abort();
    return gone.signal;
  }
  const ofConnection = waitingOn(socket);
  ofConnection.add(gone);
  // Of pipelined requests only the first response hears that the connection has ended.
  res.once('close', () => {
    ofConnection.delete(gone);
    gone.abort();
  });
  return gone.signal;
}

function waitingOn(socket: Socket): Set<AbortController> {
  const known = waiting.get(socket);
  if (known !== undefined) return known;
  const made = new Set<AbortController>();
  waiting.set(socket, made);
  socket.once('close', () => {
    for (const gone of made) gone.abort();
  });
  return made;
}
