// Runs an opened service: HTTP, the follower and due work, the sandbox's notifications; and ends it in order.
import { createApp } from '../../http/app.ts';
import { sessionCookie } from '../../http/checks/browser.ts';
import { observeRequests } from '../../http/middleware/observe-requests.ts';
import type { Route } from '../../http/route.ts';
import { rebuildAnswer } from '../../http/routes/administration/projections.ts';
import { allRoutes, dashboardRoutes, managementRoutes } from '../../http/routes/all.ts';
import type { SandboxCalls } from '../../http/sandbox-calls.ts';
import { createHttpServer, defaultLimits } from '../../http/server.ts';
import { CALL_SIGNATURE_HEADER, CALLS_PATH } from '../../processors/sandbox/remote/call-signature.ts';
import type { Ready } from '../../projections/engine/health/readiness.ts';
import type { Rebuilds } from '../../projections/running/rebuilds.ts';
import { LiveFeed } from '../../queries/live-feed.ts';
import { newId } from '../../world.ts';
import type { Opened } from '../open/open.ts';
import { readCheckoutFiles, readWebFiles, readWebRoots } from '../read-web-files.ts';
import { type Address, closeGracefully, listen } from './http-listener.ts';
import { openOperations } from './operations.ts';

export interface Running {
  /** The address that it listens on. */
  readonly url: string;
  /** The URL under which others reach it. */
  readonly publicUrl: string;
  /** Every route that it serves. */
  readonly routes: readonly Route[];
  /** Rejects when a part that must never end has failed. */
  readonly failed: Promise<never>;
  /** Resolves when every read model has reached the log; rejects when the signal aborts. */
  untilReady(signal: AbortSignal): Promise<void>;
  /** Is not ready for as long as is set, then stops accepting, finishes running requests, closes the stores. */
  stop(): Promise<void>;
}

/** How long requests that run when it is stopped may take (settings and command line, "serve"). */
const GRACE_MS = 10_000;
const LOOK_EVERY_MS = 20;

/**
 * `isStarted`: until then `/health/ready` is 503, although all work is done already. Throws what listen throws; the
 * stores are then still open, and the caller's to close. `isWorker`: a supervisor accepts the connections, and listens
 * for the metrics.
 */
export async function runService(
  opened: Opened,
  address: Address,
  isStarted: () => boolean = () => true,
  isWorker = false,
): Promise<Running> {
  const { config, log, service, sandbox, world, clock, events, report, telemetry } = opened;
  const operations = openOperations(opened);
  let isStopping = false;
  const readiness = (): Ready => {
    const now = service.readiness();
    if (isStopping) return unready(now, ['the node is stopping']);
    return isStarted() ? now : unready(now, now.reasons.length > 0 ? now.reasons : [NOT_STARTED]);
  };
  const feed = liveFeedOf(opened, operations.rebuilds);
  const routes = routesOf(opened, readiness, feed, operations);
  const app = await appOf(opened, routes);
  const server = createHttpServer(app.callback(), () => newId(world, 'req'), defaultLimits, {
    isHanded: isWorker,
    trustedProxies: config.trustedProxies,
  });
  const metrics =
    telemetry.prometheus === undefined
      ? undefined
      : await (await import('./metrics.ts')).runMetrics(opened, server, readiness, isWorker ? undefined : address.host);
  const url = await listen(server, address).catch(async (fault: unknown) => {
    await metrics?.stop();
    throw fault;
  });
  opened.publicUrl.listensOn(url);
  const publicUrl = config.publicUrl ?? url;
  const ending = new AbortController();
  const work = [
    service.run(ending.signal),
    operations.run(ending.signal),
    opened.noteEnds(ending.signal),
    ...(sandbox === undefined ? [] : [sandbox.run(url, ending.signal)]),
    ...(clock === undefined ? [] : [clock.run({ events, report }, ending.signal)]),
  ];
  return {
    url,
    publicUrl,
    routes,
    failed: firstFailure(work),
    async untilReady(signal) {
      while (!service.readiness().ready) await world.sleep(LOOK_EVERY_MS, signal);
    },
    async stop() {
      if (config.unreadySeconds > 0 && isStarted()) {
        isStopping = true;
        await world.sleep(config.unreadySeconds * 1_000, never);
      }
      feed.end(); // these answers have no end of their own
      const finished = await closeGracefully(server, GRACE_MS, world);
      if (!finished)
        log.warn('Requests were still running after 10 s. Their attempts are looked up at the next start.');
      ending.abort();
      await Promise.allSettled(work);
      await metrics?.stop();
      await opened.close();
    },
  };
}

function routesOf(
  opened: Opened,
  readiness: () => Ready,
  feed: LiveFeed,
  operations: ReturnType<typeof openOperations>,
): readonly Route[] {
  const { config, service, sandbox, events } = opened;
  const parts = {
    ...service,
    ...operations,
    events,
    readiness,
    feed,
    cookie: sessionCookie(config.publicUrl),
    publicUrl: opened.publicUrl.get,
    ...(sandbox !== undefined && { sandbox }),
  };
  return [...allRoutes(parts), ...dashboardRoutes(parts), ...managementRoutes(parts)];
}

async function appOf(opened: Opened, routes: readonly Route[]): Promise<ReturnType<typeof createApp>> {
  const { config, log, service, sandbox, world, report, telemetry } = opened;
  const sandboxCalls = sandboxCallsOf(opened);
  return createApp({
    authentication: service.access.authentication,
    world,
    routes,
    requestsPerSecond: config.rateLimit,
    sharedLimits: opened.sharedLimits,
    trustedProxies: config.trustedProxies,
    publicUrl: config.publicUrl,
    log,
    web: await readWebRoots(),
    docs: () => readWebFiles('docs'),
    checkoutFiles: await readCheckoutFiles(config.mode, { ...service, publicUrl: opened.publicUrl.get, report }),
    ...(sandboxCalls !== undefined && { sandboxCalls }),
    ...(sandbox !== undefined && {
      acs: {
        challenges: sandbox,
        readShopName: async (book: string) =>
          service.queries.readShopName(await service.connections.known.accountOfBook(book)),
      },
    }),
    requestLog: service.requestLog,
    ...(telemetry.sinks !== undefined && { around: [observeRequests(telemetry.sinks)] }),
  });
}

const never = new AbortController().signal;

/** A script that waits for the service may want the key that its first start prints. */
const NOT_STARTED = 'the start has not printed its address yet';

const unready = (now: Ready, reasons: readonly string[]): Ready => ({ ...now, ready: false, reasons });

function liveFeedOf(
  { events, world, report, service: { projections } }: Opened,
  rebuilds: Pick<Rebuilds, 'changes'>,
): LiveFeed {
  const lagSeconds = async (signal: AbortSignal): Promise<number> =>
    Math.max(0, ...(await projections.lags(signal)).values());
  async function* operation(signal: AbortSignal) {
    for await (const [name, view] of rebuilds.changes(signal))
      yield { topic: 'rebuild', rebuild: rebuildAnswer(name, view) };
  }
  return new LiveFeed({ events, world, report, positions: () => projections.positions(), lagSeconds, operation });
}

function firstFailure(work: readonly Promise<void>[]): Promise<never> {
  const failed = new Promise<never>((_, reject) => {
    for (const one of work) one.catch(reject);
  });
  failed.catch(() => undefined); // the waiting caller hears of it; during the stop no caller waits
  return failed;
}

/**
 * Undefined if the sandbox is on another node, or there is none. Its module is loaded with the first call: most
 * nodes are alone.
 */
function sandboxCallsOf({ config, sandbox, secrets, world }: Opened): SandboxCalls | undefined {
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
