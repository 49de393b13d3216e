// Whether a request that changes something comes from the dashboard's own pages, and from no other site in the user's browser.
import type { IncomingHttpHeaders } from 'node:http';
import { type Refusal, refuse } from '../errors.ts';

const CROSS_SITE = refuse('CrossSiteRequest', "This request does not come from the dashboard's own pages.", {
  recoverySuggestion: 'Send X-Csrf: 1, and no Origin of another site.',
});

/** `publicUrl`: the origin of the pages where a proxy stands in front; without it the Host header says it. */
export function ownSite(publicUrl: string | undefined): (headers: IncomingHttpHeaders) => Refusal | undefined {
  const publicOrigin = publicUrl === undefined ? undefined : new URL(publicUrl).origin;
  const isOwn = (origin: string, host: string | undefined): boolean =>
    origin === publicOrigin || (host !== undefined && (origin === `http://${host}` || origin === `https://${host}`));
  return (headers) => {
    const { origin, host } = headers;
    const site = headers['sec-fetch-site'];
    if (headers['x-csrf'] !== '1') return CROSS_SITE; // no form of another site can send it, and no script without our leave
    if (origin !== undefined && !isOwn(origin, host)) return CROSS_SITE;
    return site === undefined || site === 'same-origin' ? undefined : CROSS_SITE;
  };
}
