// The files of the browser's checkout: the SDK for merchants' pages, and the card frame, which they show in an iframe;
// with a processor's own fields in it, the frame has another address and policy (contract §3).
import { Notice } from '../app-error.ts';
import { isOrigin } from '../processors/origin.ts';
import type { OwnFields } from '../processors/processor.ts';
import { type Exchange, type Next, send, setAll } from './exchange.ts';
import { sendFile, type WebFiles } from './web-files.ts';

export interface CheckoutFiles {
  /** By path below /checkout. */
  readonly files: WebFiles;
  /** The origins that may frame the checkout of an account; `any` in test mode. */
  readonly framedBy: (accountId: string) => Promise<readonly string[] | 'any'>;
  /** The origins of the pages on which an account's customers are challenged, each in full; asked for each page. */
  readonly challengeOrigins: (accountId: string) => Promise<readonly string[]>;
  /** Undefined: an active connection of the account with fields of its own is not named so. */
  readonly fields: (accountId: string, connectionId: string) => Promise<OwnFields | undefined>;
  /** Under which browsers reach the service, without a slash at its end; asked for each page. */
  readonly publicUrl: () => string;
  /** Receives an origin that a processor names and no policy can, once. */
  readonly report: (notice: Notice) => void;
}

const AT = '/checkout/';
const FRAME = 'frame';
/** The frame with the fields of the connections in its query, with commas in between. */
const FIELDS = 'fields';
/** More than a session has methods. */
const MOST_CONNECTIONS = 20;
/** In the query of the frame's address: it shows a bank's page in place of the card form. */
const CHALLENGE = 'challenge';
const PAGE = 'frame/index.html';
/** Of payment links, which another path serves. */
export const PAY_PAGE = 'frame/pay.html';

/**
 * For pages of any origin. A merchant has a new version within minutes, under the same name as long as it stays
 * compatible.
 */
const OF_SDK: readonly string[] = [
  'Cross-Origin-Resource-Policy',
  'cross-origin',
  'Cache-Control',
  'public, max-age=300',
];
/** The headers of the page itself, which every embedder may request: its policy names who may show it. */
export const ANY_PAGE: readonly string[] = [
  'Content-Type',
  'text/html; charset=utf-8',
  'Cache-Control',
  'no-cache',
  'X-Content-Type-Options',
  'nosniff',
  'Referrer-Policy',
  'no-referrer',
  'Cross-Origin-Resource-Policy',
  'cross-origin',
];
export const permissions = (payment: string): readonly string[] => [
  'Permissions-Policy',
  `payment=(${payment}), camera=(), display-capture=(), geolocation=(), microphone=(), usb=()`,
];
export const PAGE_HEADERS: readonly string[] = [
  ...ANY_PAGE,
  'Cross-Origin-Embedder-Policy',
  'require-corp',
  ...permissions('self'),
];

/** No inline script, nothing from or to another origin, no text that becomes HTML. */
export const policyOf = (calls: readonly string[]): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `connect-src ${calls.length === 0 ? "'self'" : calls.join(' ')}`,
    "worker-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');

/**
 * As `policyOf`, but for the processor's script, its frames, what it calls, and the styles that it writes into
 * elements: no such script promises to keep to trusted types, and none runs where other origins are shut out (COEP).
 * `own`: what it may call of ours, since it runs at the origin of the dashboard.
 */
function fieldsHeaders(
  { scripts, frames, calls }: Pick<OwnFields, 'scripts' | 'frames' | 'calls'>,
  own: readonly string[],
  framers: string,
): readonly string[] {
  // A wallet opens from a frame of the processor; a permissions policy cannot name the hosts below another.
  const wallets = frames.filter((origin) => !origin.includes('*')).map((origin) => JSON.stringify(origin));
  const policy = [
    "default-src 'none'",
    ["script-src 'self'", ...scripts].join(' '),
    "style-src 'self' 'unsafe-inline'",
    `connect-src ${sourcesOf([...own, ...calls])}`,
    `frame-src ${sourcesOf(frames)}`,
    "worker-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    framers,
  ].join('; ');
  return [...ANY_PAGE, ...permissions(['self', ...wallets].join(' ')), 'Content-Security-Policy', policy];
}

/** Answers GET and HEAD of these files; passes other requests on. */
export function serveCheckoutFiles(served: CheckoutFiles) {
  const { files, framedBy, challengeOrigins, fields, publicUrl, report } = served;
  const reported = new Set<string>();
  /** Without those that would end a directive or name many hosts: the page of everybody else goes on. */
  const usable = (origins: readonly string[], named: (origin: string) => string = (origin) => origin) =>
    origins.filter((origin) => {
      if (isOrigin(named(origin))) return true;
      if (!reported.has(origin))
        report(new Notice(`A processor names ${origin}, which a policy cannot name: it is left out.`));
      reported.add(origin);
      return false;
    });
  async function ofFields(ctx: Exchange, framers: string): Promise<readonly string[] | undefined> {
    const asked = queryOf(ctx, 'connection').split(',', MOST_CONNECTIONS);
    const all = await Promise.all(asked.map((connectionId) => fields(accountIn(ctx), connectionId)));
    const own = all.filter((one) => one !== undefined);
    if (own.length < asked.length) return undefined;
    const ofAll = (part: 'scripts' | 'frames' | 'calls') =>
      usable([...new Set(own.flatMap((one) => one[part]))], (source) => source.replace('://*.', '://'));
    const named = { scripts: ofAll('scripts'), frames: ofAll('frames'), calls: ofAll('calls') };
    return fieldsHeaders(named, ownCalls(ctx, publicUrl()), framers);
  }
  async function ofFrame(ctx: Exchange, framers: string): Promise<readonly string[]> {
    const policy = `${policyOf(ownCalls(ctx, publicUrl()))}; ${framers}`;
    return isChallenge(ctx)
      ? challengeHeaders(policy, usable(await challengeOrigins(accountIn(ctx))))
      : [...PAGE_HEADERS, 'Content-Security-Policy', policy];
  }
  return async function serveCheckoutFile(ctx: Exchange, next: Next): Promise<unknown> {
    const path = ctx.path ?? '';
    if (!path.startsWith(AT) || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) return next();
    const name = path.slice(AT.length);
    const isPage = name === FRAME || name === FIELDS;
    const file = files.get(isPage ? PAGE : name);
    if (file === undefined || name === PAGE || name === PAY_PAGE) return next();
    if (isPage) {
      // Our own pages are among them: that of a payment link.
      const framers = `frame-ancestors ${ancestors(withOwn(await framedBy(accountIn(ctx))))}`;
      const headers = name === FIELDS ? await ofFields(ctx, framers) : await ofFrame(ctx, framers);
      return headers === undefined ? next() : send(ctx, 200, file.content, headers);
    }
    sendFile(ctx, file);
    if (name.startsWith('sdk/')) setAll(ctx, OF_SDK);
  };
}

const sourcesOf = (sources: readonly string[]): string => (sources.length === 0 ? "'none'" : sources.join(' '));

/**
 * Our own calls that a page makes, as sources of its policy: those below `at`, by the address of the page and by the
 * public one. `http:` stands for https as well.
 */
export function ownCalls({ headers: { host = '' } }: Exchange, publicUrl: string, at = AT): readonly string[] {
  const origins = [`http://${host.toLowerCase()}`, URL.canParse(publicUrl) ? new URL(publicUrl).origin : ''];
  return [...new Set(origins.filter(isOrigin))].map((origin) => `${origin}${at}`);
}

const isChallenge = ({ querystring }: Exchange): boolean => new URLSearchParams(querystring).has(CHALLENGE);

/**
 * The page around a bank's page: it may hold pages of these origins, which know nothing of embedders' policies, and of
 * no other.
 */
function challengeHeaders(policy: string, origins: readonly string[]): readonly string[] {
  const named = [...new Set(origins)];
  return [
    ...ANY_PAGE,
    ...permissions(['self', ...named.map((origin) => `"${origin}"`)].join(' ')),
    'Content-Security-Policy',
    `${policy}; frame-src ${["'self'", ...named].join(' ')}`,
  ];
}

/**
 * The account in the SDK's query, which is not a secret; the page accepts no token of another account. '' if none is
 * named.
 */
export const accountIn = (ctx: Exchange): string => queryOf(ctx, 'account');

const queryOf = ({ querystring }: Exchange, name: string): string => new URLSearchParams(querystring).get(name) ?? '';

/**
 * True if a policy can name the origin. One with `;`, `,`, a blank or `*` would end the directive, begin another
 * policy, or name many.
 */
export const isSource = (origin: string): boolean => !/[;,*\s]/.test(origin);

/** With our own origin. */
export const withOwn = (origins: readonly string[] | 'any'): readonly string[] | 'any' =>
  origins === 'any' ? origins : ["'self'", ...origins];

/** The origins as a policy names them, without those that it cannot name. */
export function ancestors(origins: readonly string[] | 'any'): string {
  if (origins === 'any') return '*';
  const named = origins.filter(isSource);
  return named.length === 0 ? "'none'" : named.join(' ');
}
