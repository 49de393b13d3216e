// What a request is called in metrics and traces: words from short lists, never what a client sent.
import type { Exchange } from '../http/exchange.ts';

/** Requests that no route took: 404, 405, preflights. */
export const UNMATCHED = 'unmatched';
const KNOWN = new Set(['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS']);

/** The template, such as `/payments/:id`; known once the request has been routed. What is no part of the API has no Route. */
export const routeOf = (ctx: Exchange): string => ctx.state.route?.path ?? mounted(ctx) ?? UNMATCHED;

/** What the router puts on the context, where it found something. */
const mounted = (ctx: Exchange): string | undefined =>
  '_matchedRoute' in ctx && typeof ctx['_matchedRoute'] === 'string' ? ctx['_matchedRoute'] : undefined;

/** `_OTHER` for the methods that no API has, as in OpenTelemetry's semantic conventions. */
export const methodOf = ({ method }: Exchange): string => (KNOWN.has(method) ? method : '_OTHER');
