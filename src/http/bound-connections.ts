// The connections of a server: so many in all, a part of them for one network, and near the bound unused ones go for
// others.
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { addressNetwork } from '../commands/limits/address-block.ts';
import { plainAddress } from './checks/client-address.ts';
import { among } from './checks/ip-network.ts';

interface ConnectionBounds {
  /** Beyond that, new connections are closed at once. */
  readonly most: number;
  /** An idle connection is kept for so long, ms. */
  readonly keepAliveMs: number;
  /** True if a request of the connection is being worked on. */
  readonly isAnswering: (socket: Socket) => boolean;
  readonly trustedProxies: readonly string[];
}

/** A network (/24, /56) has at most a tenth of the connections; the last tenth is for those who use theirs. */
const SHARE = 10;
/** An idle connection near the bound is kept for so long, ms. */
const SHORT_KEEP_ALIVE_MS = 5_000;
/** The machine's own processes, such as a balancer on it. */
const LOOPBACK = ['127.0.0.0/8', '::1'];

/**
 * Closes connections beyond the bounds at once, and emits `drop` as Node does at its own limit. Near the bound each new
 * connection closes the oldest one without a request begun. Trusted proxies and processes of the machine have no bound
 * of their own, and keep their idle connections.
 */
export function boundConnections(server: Server, bounds: ConnectionBounds): void {
  const { most, keepAliveMs, isAnswering, trustedProxies } = bounds;
  const isApart = among([...LOOPBACK, ...trustedProxies]);
  /** The network of each, the oldest first; undefined: apart. */
  const open = new Map<Socket, string | undefined>();
  const counts = new Map<string, number>();
  const count = (network: string | undefined, change: number): void => {
    if (network === undefined) return;
    const now = (counts.get(network) ?? 0) + change;
    if (now === 0) counts.delete(network);
    else counts.set(network, now);
  };
  const leave = (socket: Socket): void => {
    if (!open.has(socket)) return;
    count(open.get(socket), -1);
    open.delete(socket);
  };
  const makeRoom = (): void => {
    for (const [socket, network] of open)
      if (network !== undefined && !isAnswering(socket)) {
        leave(socket);
        socket.destroy();
        return;
      }
  };
  server.prependListener('connection', (socket: Socket) => {
    const address = plainAddress(socket.remoteAddress ?? '');
    const network = isApart(address) ? undefined : addressNetwork(address);
    const isFull = network !== undefined && (counts.get(network) ?? 0) >= most / SHARE;
    const isNear = open.size >= most - most / SHARE;
    server.keepAliveTimeout = isNear ? Math.min(SHORT_KEEP_ALIVE_MS, keepAliveMs) : keepAliveMs;
    if (isNear && !isFull) makeRoom();
    if (isFull || open.size >= most) {
      socket.destroy();
      server.emit('drop');
      return;
    }
    open.set(socket, network);
    count(network, 1);
    socket.once('close', () => leave(socket));
  });
}
