// What the dashboard checks of a browser: the cookie of its session, and that it is on the dashboard's own pages;
// and its name in a few words.
import type { IncomingHttpHeaders } from 'node:http';
import { type Refusal, refuse } from '../errors.ts';

export interface SessionCookie {
  /** The value that a request carries; undefined without one. */
  readonly read: (headers: IncomingHttpHeaders) => string | undefined;
  /** A header's name and value: the browser keeps the value until it is closed, or for 12 h at most. */
  readonly set: (value: string) => readonly string[];
  readonly clear: readonly string[];
}

const NAME = 'counterfoil_session';
const LASTS_SECONDS = 43_200;

/** `publicUrl`: over https the cookie is bound to the host and never travels in the clear. */
export function sessionCookie(publicUrl: string | undefined): SessionCookie {
  const isSecure = publicUrl?.startsWith('https:') === true;
  const name = isSecure ? `__Host-${NAME}` : NAME;
  const rest = `; Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
  return {
    read: ({ cookie = '' }) => {
      const values = cookie.split(';').flatMap((pair) => {
        const at = pair.indexOf('=');
        return pair.slice(0, at).trim() === name ? [pair.slice(at + 1).trim()] : [];
      });
      return values.length === 1 ? values[0] : undefined; // two of one name: somebody else has planted one
    },
    set: (value) => ['Set-Cookie', `${name}=${value}${rest}; Max-Age=${LASTS_SECONDS}`],
    clear: ['Set-Cookie', `${name}=${rest}; Max-Age=0`],
  };
}

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

const BROWSERS = [
  ['Edge', /\bEdg(?:e|A|iOS)?\//],
  ['Opera', /\bOPR\//],
  ['Firefox', /\b(?:Firefox|FxiOS)\//],
  ['Chrome', /\b(?:Chrome|CriOS|HeadlessChrome)\//],
  ['Safari', /\bSafari\//],
] as const;
const SYSTEMS = [
  ['iPhone', /\biPhone\b/],
  ['iPad', /\biPad\b/],
  ['Android', /\bAndroid\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMacintosh\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Linux', /\bLinux\b/],
] as const;

const named = (names: readonly (readonly [string, RegExp])[], text: string): string | undefined =>
  names.find(([, shape]) => shape.test(text))?.[0];

/** `Firefox on Linux`; `An unknown browser` where nothing is recognised. The header itself is kept nowhere. */
export function deviceOf(userAgent: string | undefined = ''): string {
  const browser = named(BROWSERS, userAgent);
  const system = named(SYSTEMS, userAgent);
  if (browser === undefined) return system === undefined ? 'An unknown browser' : `A browser on ${system}`;
  return system === undefined ? browser : `${browser} on ${system}`;
}
