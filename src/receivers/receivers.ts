// Calls merchants' receivers over HTTP. Outside test mode only at public addresses: a name is resolved, looked at, and then connected to.
import { lookup as resolve } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { LRUCache } from 'lru-cache';
import type { Post } from '../commands/webhooks/post.ts';
import { type HttpCaller, httpCaller } from '../processors/http-call.ts';
import type { World } from '../world.ts';
import { isPublic } from './public-address.ts';

export interface ReceiversOptions {
  readonly world: Pick<World, 'sleep'>;
  /** In test mode: a receiver under development is on this machine. */
  readonly allowsPrivate: boolean;
}

export interface Receivers {
  readonly post: Post;
  /** Calls under way end as well. */
  close(): void;
}

/** Origins whose connections are kept. */
const KEPT = 200;
/** Connections to one origin. */
const CONNECTIONS = 32;
/** Bytes of an answer that are read. */
const ANSWER_BYTES = 16 * 1024;
const NOT_PUBLIC = 'the address is not public';

export function openReceivers({ world, allowsPrivate }: ReceiversOptions): Receivers {
  const callers = new LRUCache<string, HttpCaller>({ max: KEPT, dispose: (caller) => caller.close() });
  const callerOf = (origin: string): HttpCaller => {
    const known = callers.get(origin);
    if (known !== undefined) return known;
    const options = { base: origin, world, maxConnections: CONNECTIONS, maxAnswerBytes: ANSWER_BYTES, cutsAnswer: true };
    const made = httpCaller({ ...options, ...(!allowsPrivate && { lookup: publicLookup }) });
    callers.set(origin, made);
    return made;
  };
  return {
    async post({ url, headers, body }, signal) {
      const { origin, hostname, pathname, search } = new URL(url);
      const host = hostname.replace(/^\[(.*)\]$/, '$1'); // an address is connected to without a look-up
      if (!allowsPrivate && isIP(host) !== 0 && !isPublic(host)) return { fault: NOT_PUBLIC };
      const answer = await callerOf(origin).call({ method: 'POST', path: `${pathname}${search}`, headers, body }, signal);
      return answer.kind === 'answered' ? { status: answer.status, body: answer.body } : { fault: answer.detail };
    },
    close: () => callers.clear(),
  };
}

/** One look at the name: what was checked is what is connected to. One private address among several is enough to refuse. */
const publicLookup: LookupFunction = (hostname, options, done) => {
  resolve(hostname, { ...options, all: true }, (fault, addresses) => {
    if (fault !== null) return done(fault, []);
    if (addresses.length === 0 || addresses.some(({ address }) => !isPublic(address))) return done(new Error(NOT_PUBLIC), []);
    const [first] = addresses;
    if (options.all === true || first === undefined) return done(null, addresses);
    return done(null, first.address, first.family);
  });
};
