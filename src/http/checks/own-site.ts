// Whether a request comes from the dashboard's own pages, and from no other site in the user's browser.
import type { IncomingHttpHeaders } from 'node:http';
import { type Refusal, refuse } from '../errors.ts';

const CROSS_SITE = refuse('CrossSiteRequest', "This request does not come from the dashboard's own pages.", {
  recoverySuggestion: 'Send X-Csrf: 1, and no Origin of another site.',
});

/**
 * `publicUrl`: the pages' origin, and no other is ours then; without it the Host header says it. `changes`: the request
 * changes something; of one that reads only `Sec-Fetch-Site` is asked, so that no page of another site, on the same
 * domain either, frames or embeds an answer.
 */
export function ownSite(
  publicUrl: string | undefined,
): (headers: IncomingHttpHeaders, changes: boolean) => Refusal | undefined {
  const publicOrigin = publicUrl === undefined ? undefined : new URL(publicUrl).origin;
  const isOwn = (origin: string, host: string | undefined): boolean =>
    publicOrigin === undefined
      ? host !== undefined && (origin === `http://${host}` || origin === `https://${host}`)
      : origin === publicOrigin;
  return (headers, changes) => {
    const { origin, host } = headers;
    const site = headers['sec-fetch-site'];
    // no form of another site can send it, and no script without our leave
    if (changes && headers['x-csrf'] !== '1') return CROSS_SITE;
    if (changes && origin !== undefined && !isOwn(origin, host)) return CROSS_SITE;
    return site === undefined || site === 'same-origin' ? undefined : CROSS_SITE;
  };
}
