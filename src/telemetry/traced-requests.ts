// A span around every request, below the caller's own where its headers name one (W3C trace context, by whatever propagator is registered).
import { type Context, context, propagation, type Span, SpanKind, type Tracer, trace } from '@opentelemetry/api';
import type { Around } from '../http/app.ts';
import { CLIENT_GONE, type Exchange, statusOf } from '../http/exchange.ts';
import { methodOf, routeOf, UNMATCHED } from './request-labels.ts';
import { fail } from './span.ts';

export const tracedRequests = (tracer: Tracer): Around =>
  async function traceRequest(ctx, next) {
    const parent = parentOf(ctx);
    const method = methodOf(ctx);
    const span = tracer.startSpan(method, { kind: SpanKind.SERVER, attributes: { 'http.request.method': method } }, parent);
    try {
      await context.with(trace.setSpan(parent, span), next);
    } finally {
      describe(span, ctx, method);
      span.end();
    }
  };

/** Where Node's own server is instrumented as well, its span is the parent, and has read the headers. */
function parentOf({ req }: Exchange): Context {
  const active = context.active();
  return trace.getSpan(active) === undefined ? propagation.extract(active, req.headers) : active;
}

/** By OpenTelemetry's conventions for HTTP servers, but for the path and the query: they hold tokens. */
function describe(span: Span, ctx: Exchange, method: string): void {
  const route = routeOf(ctx);
  const status = statusOf(ctx);
  span.updateName(`${method === '_OTHER' ? 'HTTP' : method}${route === UNMATCHED ? '' : ` ${route}`}`);
  if (route !== UNMATCHED) span.setAttribute('http.route', route);
  span.setAttribute('counterfoil.request_id', ctx.state.requestId);
  if (status === CLIENT_GONE) fail(span, 'client_gone');
  else span.setAttribute('http.response.status_code', status);
  if (status >= 500) fail(span, String(status));
}
