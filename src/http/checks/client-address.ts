// The address that a request comes from: the peer's, or, after trusted proxies, the caller's address as they report it.
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { among } from './ip-network.ts';

/**
 * The address of the client. `trusted`: addresses and networks of proxies that append to X-Forwarded-For. The last
 * address in that header that is not a trusted proxy's is used: the addresses before it can be forged. Empty: the
 * header is ignored.
 */
export function clientAddress(trusted: readonly string[]): (request: IncomingMessage) => string {
  if (trusted.length === 0) return ({ socket }) => socket.remoteAddress ?? '';
  const isProxy = among(trusted);
  return ({ socket, headers }) => {
    let client = plainAddress(socket.remoteAddress ?? '');
    const forwarded = [headers['x-forwarded-for'] ?? []].flat().join(',').split(',').map(plainAddress);
    while (isProxy(client)) {
      const before = forwarded.pop();
      if (before === undefined || isIP(before) === 0) break;
      client = before;
    }
    return client;
  };
}

/** A socket that listens on both families shows IPv4 addresses as IPv6. */
export const plainAddress = (address: string): string => address.trim().replace(/^::ffff:(?=\d+\.)/i, '');
