// The public routes: whether the service lives and can work, and the description of its API (contract §9).
import { z } from 'zod';
import type { Ready } from '../../projections/engine/health/readiness.ts';
import { openapi } from '../openapi.ts';
import { type Content, found, page, type Route, route, signpost } from '../route.ts';
import { DOCS_PATH } from '../web-files.ts';

/** Contract §9. */
const STREAMS_NAMED = 20;

const Health = z
  .strictObject({
    status: z.enum(['live', 'ready', 'degraded']),
    streams: z
      .array(z.string())
      .optional()
      .meta({ description: `If the service is degraded: up to ${STREAMS_NAMED} broken or parked streams.` }),
    notMoving: z
      .array(z.string())
      .optional()
      .meta({
        description: `If the service is degraded: up to ${STREAMS_NAMED} sentences on stalled read models, with their start (UTC).`,
      }),
  })
  .meta({ id: 'Health' });
type Health = z.infer<typeof Health>;

/** `api`: the routes that the description is about, besides these themselves. */
export function publicRoutes(readiness: () => Ready, api: readonly Route[]): readonly Route[] {
  const live = route({
    method: 'GET',
    path: '/health/live',
    scope: 'public',
    tag: 'Service',
    id: 'getLiveness',
    summary: 'Check that the process responds',
    request: z.object({}),
    answer: Health,
    handle: () => found<Health>({ status: 'live' }),
  });
  const ready = route({
    method: 'GET',
    path: '/health/ready',
    scope: 'public',
    tag: 'Service',
    id: 'getReadiness',
    summary:
      'Check the readiness: 503 if a store is unavailable or a projection has stopped; degraded if a stream is broken or parked, or a read model does not move',
    request: z.object({}),
    answer: Health,
    handle: () => {
      const { ready, reasons, degraded, notMoving = [] } = readiness();
      const named = {
        ...(degraded.length > 0 && { streams: degraded.slice(0, STREAMS_NAMED) }),
        ...(notMoving.length > 0 && { notMoving: notMoving.slice(0, STREAMS_NAMED) }),
      };
      if (ready && degraded.length + notMoving.length > 0) return found<Health>({ status: 'degraded', ...named });
      if (ready) return found<Health>({ status: 'ready' });
      return { kind: 'rejected', errorId: 'ServiceUnavailable', description: `Not ready: ${reasons.join('; ')}.` };
    },
  });
  const described = descriptionPage('/openapi.json', 'getOpenApi', () => openapi(all));
  const start = signpost('/', 'Redirect to the documentation', DOCS_PATH);
  const all: readonly Route[] = [...api, live, ready, described, start];
  return all;
}

/** The route of an OpenAPI document; `describe` makes its text at the first request. */
export function descriptionPage(path: string, id: string, describe: () => string): Route {
  let description: Content | undefined;
  const made = (): Content => ({
    kind: 'content',
    // bytes are shared by all answers that wait to be read; text would be copied into each
    content: Buffer.from(describe()),
    headers: [
      'Content-Type',
      'application/json; charset=utf-8',
      'Cache-Control',
      'no-cache',
      'X-Content-Type-Options',
      'nosniff',
    ],
  });
  return page(path, { id, summary: 'Read this description' }, () => (description ??= made()));
}
