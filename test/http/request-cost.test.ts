// The cost of a request is bounded by its size: whatever a path, a query, a header or a body repeats, no turn of the
// event loop takes long (SECURITY.md, "Hostile input").
import { Agent, request as send } from 'node:http';
import { expect } from 'chai';
import { z } from 'zod';
import { isForUsers, type Route } from '../../src/http/route.ts';
import { type Dashboard, openDashboard } from '../support/dashboard.ts';

/** CPU time of all threads, ms: a clock would count the other work of the machine. */
const MOST_MS = 50;
/** Requests that are measured together; each is measured alone where they take too long. */
const BATCH = 100;
/** A collection of garbage may fall into any turn. */
const TRIES = 5;
const LINE_BYTES = 15_000;
const BODY_BYTES = 256 * 1024;
/** A route gets one in so many of the pairs, and the next route the next ones; a page gets all of them. */
const SHARE = 30;

/** Bytes that some reader splits, trims or skips at: each twice, after another one, and before another one. */
const PAIRS: readonly string[] = [...'/.&=,;:-_+%*"\'~(@\\ \t'].flatMap((byte) => [
  byte + byte,
  `a${byte}`,
  `${byte}1`,
]);
/** The pair again and again, and an end that refuses an expression wherever it began. */
const repeated = (pair: string, bytes: number): string =>
  `${pair.repeat(Math.floor(bytes / pair.length) - 1)}x${pair.slice(-1)}`;
const inUrl = (pair: string): string => {
  const encoded = pair.replaceAll(/[^!-~]|["\\]/g, (byte) => encodeURIComponent(byte));
  return repeated(encoded, LINE_BYTES);
};

/** Headers that some part of the service reads. */
const HEADERS: readonly string[] = [
  ...['x-request-id', 'x-api-version', 'x-api-key', 'x-client-token', 'x-idempotency-key', 'idempotency-key'],
  ...['if-match', 'if-none-match', 'content-type', 'content-encoding', 'cookie', 'origin', 'host', 'user-agent'],
  ...['sec-fetch-site', 'x-csrf', 'x-background', 'last-event-id', 'x-forwarded-for', 'traceparent', 'accept'],
  ...['accept-language', 'accept-encoding', 'x-sandbox-signature', 'stripe-signature', 'access-control-request-method'],
];
/** Where pages are, which no route describes. */
const PAGES: readonly string[] = [
  ...['/', '/docs/', '/dashboard/', '/checkout/frame/', '/checkout/fields', '/checkout/sdk/v1/', '/pay/'],
  ...['/checkout/3ds/return', '/checkout/sandbox-acs/', '/sandbox-calls/'],
];

/** A method and a path with `:name` for its parameters. */
interface Target extends Pick<Route, 'method' | 'path' | 'scope'> {
  /** Undefined: a page. */
  readonly route?: Route;
}
interface Sent {
  readonly what: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

describe('no turn of the event loop takes more than 50 ms of CPU', () => {
  let dashboard: Dashboard;
  let targets: readonly Target[];
  let credentialsOf: (scope: Route['scope']) => Sent['headers'];
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });

  before(async () => {
    dashboard = await openDashboard({ flags: { trustedProxies: '127.0.0.1' } });
    const { accountId, key, service, url, routes } = dashboard;
    targets = [
      ...routes.map((route) => ({ ...route, route })),
      ...PAGES.map((path) => ({ method: 'GET', path, scope: 'public' }) as const),
    ];
    const management = await service.access.createManagementKey({ accountId, name: 'x', grants: [] });
    if (management.kind === 'rejected') throw new Error(management.description);
    const made = await fetch(`${url}/client-session`, { method: 'POST', headers: { 'x-api-key': key } });
    const { clientToken } = z.looseObject({ clientToken: z.string() }).parse(await made.json());
    credentialsOf = (scope) => {
      if (isForUsers(scope)) return { cookie: dashboard.cookieOf(scope.roles[0] ?? 'owner'), 'x-csrf': '1' };
      if (scope === 'public' || scope === 'visitor') return { 'x-csrf': '1' };
      if (scope === 'clientToken') return { 'x-client-token': clientToken };
      return { 'x-api-key': scope === 'management' ? management.key : key };
    };
  });
  after(async () => {
    agent.destroy();
    await dashboard.close();
  });

  const exchange = ({ method, path, headers, body }: Sent): Promise<void> =>
    new Promise((resolve, reject) => {
      const { hostname: host, port } = new URL(dashboard.url);
      const length = body !== undefined && { 'content-length': String(Buffer.byteLength(body)) };
      const outgoing = send({ agent, host, port, method, path, headers: { ...headers, ...length } }, (incoming) => {
        // the live stream has no end
        if (incoming.headers['content-type']?.startsWith('text/event-stream') === true) incoming.destroy();
        incoming.on('close', resolve).on('error', resolve).resume();
      });
      outgoing.on('error', reject).end(body);
    });

  /** The CPU time of the longest turn while `work` runs, ms. */
  async function longestTurn(work: () => Promise<unknown>): Promise<number> {
    let longest = 0;
    let before = process.cpuUsage();
    const look = (): void => {
      const { user, system } = process.cpuUsage(before);
      longest = Math.max(longest, (user + system) / 1_000);
      before = process.cpuUsage();
      next = setImmediate(look);
    };
    let next = setImmediate(look);
    await work();
    await new Promise(setImmediate);
    clearImmediate(next);
    return longest;
  }

  async function expectCheap(requests: readonly Sent[]): Promise<void> {
    const found: string[] = [];
    for (let at = 0; at < requests.length && found.length === 0; at += BATCH) {
      const batch = requests.slice(at, at + BATCH);
      const together = await longestTurn(async () => {
        for (const one of batch) await exchange(one);
      });
      if (together > MOST_MS) for (const one of batch) if (found.length === 0) found.push(...(await tooLong(one)));
    }
    expect(found).to.deep.equal([]);
  }

  /** The request, if it takes too long each time. */
  async function tooLong(one: Sent): Promise<readonly string[]> {
    let least = Number.POSITIVE_INFINITY;
    for (let tries = 0; tries < TRIES && least > MOST_MS; tries += 1) {
      least = Math.min(least, await longestTurn(() => exchange(one)));
      if (least > 10 * MOST_MS) break;
    }
    return least > MOST_MS ? [`${one.what}: ${Math.round(least)} ms`] : [];
  }

  /** What `make` makes of the pairs of each place. */
  const spread = <Place extends Target>(places: readonly Place[], make: (place: Place, pair: string) => Sent) =>
    places.flatMap((place, index) =>
      PAIRS.filter((_, at) => place.route === undefined || (at + index) % SHARE === 0).map((pair) => make(place, pair)),
    );
  const without = (path: string): string => path.replaceAll(/:\w+/g, 'x');
  const membersOf = (target: Target, part: 'query' | 'body'): readonly string[] => {
    const schema = target.route?.description.request.shape[part];
    return schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
  };

  it('for a path of 15 KB', () =>
    expectCheap(
      spread(targets, ({ method, path, scope }, pair) => ({
        what: `${method} ${path} ${pair}`,
        method,
        path: path.includes(':') ? without(path.replace(/:\w+/, () => inUrl(pair))) : `${path}${inUrl(pair)}`,
        headers: credentialsOf(scope),
      })),
    ));

  it('for a query of 15 KB, in unknown parameters and in each known one', () =>
    expectCheap(
      spread(
        targets.flatMap((target) =>
          ['', ...membersOf(target, 'query').map((name) => `${name}=`)].map((name) => ({ ...target, name })),
        ),
        ({ method, path, scope, name }, pair) => ({
          what: `${method} ${path}?${name} ${pair}`,
          method,
          path: `${without(path)}?${name}${inUrl(pair)}`,
          headers: credentialsOf(scope),
        }),
      ),
    ));

  it('for a header of 15 KB', () => {
    // the code that reads headers differs by who calls, and by whether there is a body
    const kinds = new Map(
      targets.map((target) => [`${JSON.stringify(target.scope)} ${target.method === 'GET'}`, target] as const),
    );
    return expectCheap(
      spread(
        [...kinds.values()].flatMap((target) => HEADERS.map((name) => ({ ...target, name }))),
        ({ method, path, scope, name }, pair) => ({
          what: `${method} ${path} ${name}: ${pair}`,
          method,
          path: without(path),
          headers: { ...credentialsOf(scope), [name]: `a${repeated(pair, LINE_BYTES)}a` },
        }),
      ),
    );
  });

  it('for a body of 256 KiB, in each of its members and as no JSON', () => {
    const bodyOf = (names: readonly string[], pair: string): string => {
      // a backslash, a quote and a tab take two bytes
      const text = repeated(pair, Math.floor(BODY_BYTES / names.length / 2) - 50);
      return JSON.stringify(Object.fromEntries(names.map((name) => [name, text])));
    };
    return expectCheap(
      spread(
        targets
          .filter(({ route, method }) => route !== undefined && method !== 'GET')
          .flatMap((target) => [[], membersOf(target, 'body')].map((names) => ({ ...target, names }))),
        ({ method, path, scope, names }, pair) => ({
          what: `${method} ${path} {${names}} ${pair}`,
          method,
          path: without(path),
          headers: { ...credentialsOf(scope), 'content-type': 'application/json' },
          body: names.length === 0 ? repeated(pair, BODY_BYTES) : bodyOf(names, pair),
        }),
      ),
    );
  });
});
