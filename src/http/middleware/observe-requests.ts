// Around every request: count, duration and result, as metrics, as a span, or both.
import type { Sinks, Span } from '../../telemetry/sinks.ts';
import { CLIENT_GONE, type Exchange, type Next, statusOf } from '../exchange.ts';

/** Requests that no route took: 404, 405, preflights. */
const UNMATCHED = 'unmatched';
const KNOWN = new Set(['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS']);

export const observeRequests = ({ meters, spans, world }: Sinks) =>
  async function observeRequest(ctx: Exchange, next: Next): Promise<void> {
    const start = world.monotonic();
    const method = methodOf(ctx);
    meters?.requestStarted();
    const span = spans?.startServer({ name: method, attributes: { 'http.request.method': method } }, ctx.req.headers);
    try {
      await (span === undefined ? next() : span.within(next));
    } finally {
      const [route, status] = [routeOf(ctx), statusOf(ctx)];
      meters?.requestEnded(route, method, status, world.monotonic() - start);
      if (span !== undefined) end(span, ctx, { method, route, status });
    }
  };

/** By OpenTelemetry's conventions for HTTP servers, but for the path and the query: they hold tokens. */
function end(
  span: Span,
  { state }: Exchange,
  { method, route, status }: { readonly method: string; readonly route: string; readonly status: number },
): void {
  span.rename(`${method === '_OTHER' ? 'HTTP' : method}${route === UNMATCHED ? '' : ` ${route}`}`);
  span.set({ 'counterfoil.request_id': state.requestId, ...(route !== UNMATCHED && { 'http.route': route }) });
  if (status === CLIENT_GONE) span.fail('client_gone');
  else span.set({ 'http.response.status_code': status });
  if (status >= 500) span.fail(String(status));
  span.end();
}

/**
 * The template, such as `/payments/:id`; known once the request has been routed. Pages outside the API have no Route.
 */
const routeOf = (ctx: Exchange): string => ctx.state.route?.path ?? mounted(ctx) ?? UNMATCHED;

/** The router leaves the route that it found on the context. */
const mounted = (ctx: Exchange): string | undefined =>
  '_matchedRoute' in ctx && typeof ctx['_matchedRoute'] === 'string' ? ctx['_matchedRoute'] : undefined;

/** `_OTHER` for the methods that no API has, as in OpenTelemetry's semantic conventions. */
const methodOf = ({ method }: Exchange): string => (KNOWN.has(method) ? method : '_OTHER');
