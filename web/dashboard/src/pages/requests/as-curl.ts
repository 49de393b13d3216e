// A logged request as a command: without its credentials and its body, because neither was kept.
import type { LoggedRequest } from './request-queries.ts';

const WITH_BODY = ['POST', 'PATCH', 'PUT'];

/** For a shell where $KEY, or $CLIENT_TOKEN of a checkout, is set. */
export function asCurl({ method, route, paymentId, checkoutSessionId }: LoggedRequest, origin: string): string {
  const path = route.replace(/:(\w+)/g, (_, name: string) => (name === 'id' && paymentId !== undefined ? paymentId : `<${name}>`));
  const credentials = checkoutSessionId === undefined ? '-H "X-Api-Key: $KEY"' : '-H "X-Client-Token: $CLIENT_TOKEN"';
  const verb = method === 'GET' ? '' : `-X ${method} `;
  const body = WITH_BODY.includes(method) ? " \\\n  -H 'Content-Type: application/json' \\\n  -d '{ … }'" : '';
  return `curl -sS ${verb}'${origin}${path}' \\\n  ${credentials}${body}`;
}
