// Calls merchants' receivers over HTTP. Outside test mode only at public addresses: a name is resolved, looked at, and
// then connected to.

import { type LookupAddress, type LookupAllOptions, lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import type { Post } from '../commands/webhooks/post.ts';
import { type HttpCaller, httpCaller } from '../processors/http-call.ts';
import type { World } from '../world.ts';

export interface ReceiversOptions {
  readonly world: Pick<World, 'sleep'>;
  /**
   * Whether an address may be connected to: `isPublic`, or in test mode any, because a receiver under development is on
   * this machine.
   */
  readonly isAllowed: (address: string) => boolean;
  /** Finds all addresses of a name; the system's by default. */
  readonly resolve?: Resolve;
}

type Resolve = (
  hostname: string,
  options: LookupAllOptions,
  done: (fault: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

export interface Receivers {
  readonly post: Post;
  /** Calls under way end as well. */
  close(): void;
}

/** Origins whose connections are kept. */
const KEPT = 200;
/** Connections to one origin: as many as an endpoint gets calls at a time. */
const CONNECTIONS = 64;
/** Bytes of an answer that are read. */
const ANSWER_BYTES = 16 * 1024;
const NOT_PUBLIC = 'the address is not public';

export function openReceivers({ world, isAllowed, resolve = systemLookup }: ReceiversOptions): Receivers {
  const callers = new LRUCache<string, HttpCaller>({ max: KEPT, dispose: (caller) => caller.close() });
  const callerOf = (origin: string): HttpCaller => {
    const known = callers.get(origin);
    if (known !== undefined) return known;
    const limits = { maxConnections: CONNECTIONS, maxAnswerBytes: ANSWER_BYTES, cutsAnswer: true };
    const made = httpCaller({ base: origin, world, lookup: checkedLookup(resolve, isAllowed), ...limits });
    callers.set(origin, made);
    return made;
  };
  return {
    async post({ url, headers, body }, signal) {
      const { origin, hostname, pathname, search } = new URL(url);
      const host = hostname.replace(/^\[(.*)\]$/, '$1'); // an address is connected to without a look-up
      if (isIP(host) !== 0 && !isAllowed(host)) return { fault: NOT_PUBLIC, isUnsent: true };
      const answer = await callerOf(origin).call(
        { method: 'POST', path: `${pathname}${search}`, headers, body },
        signal,
      );
      return answer.kind === 'answered'
        ? { status: answer.status, body: answer.body }
        : { fault: answer.detail, isUnsent: answer.kind === 'not_sent' };
    },
    close: () => callers.clear(),
  };
}

/**
 * One look at the name: what was checked is what is connected to. One address that is not allowed, among several, is
 * enough to refuse.
 */
const checkedLookup =
  (resolve: Resolve, isAllowed: (address: string) => boolean): LookupFunction =>
  (hostname, options, done) => {
    resolve(hostname, { ...options, all: true }, (fault, addresses) => {
      const [first] = addresses ?? [];
      if (fault !== null) done(fault, []);
      else if (first === undefined || !addresses.every(({ address }) => isAllowed(address)))
        done(new Error(NOT_PUBLIC), []);
      else if (options.all === true) done(null, addresses);
      else done(null, first.address, first.family);
    });
  };

/** True if an address, in any notation, is public on the internet; false for a text that is not an address. */
export function isPublic(text: string): boolean {
  const address = text.replace(/^\[(.*)\]$/, '$1');
  if (!ipaddr.isValid(address)) return false;
  // `process` makes an IPv4 address of one that is mapped into IPv6.
  const plain = ipaddr.process(address);
  // NAT64, 6to4 and Teredo carry one inside, too; their ranges have names of their own, and are not `unicast`. What has
  // no name and lies outside 2000::/3 is nobody's, as `::7f00:1`, an old form of 127.0.0.1.
  return plain.range() === 'unicast' && (plain.kind() === 'ipv4' || plain.match(GLOBAL));
}

/** The addresses that are given out (IANA). */
const GLOBAL = ipaddr.parseCIDR('2000::/3');
