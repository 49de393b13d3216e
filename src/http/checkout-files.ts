// The files of the browser's checkout: the SDK for merchants' pages, and the card frame, which they show in an iframe;
// with a processor's own fields in it, the frame has another address and policy (contract §2).
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
}

const AT = '/checkout/';
const FRAME = 'frame';
/** The frame with the fields of the connection in its query. */
const FIELDS = 'fields';
/** In the query of the frame's address: it shows a bank's page in place of the card form. */
const CHALLENGE = 'challenge';
const PAGE = 'frame/index.html';

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
const ANY_PAGE: readonly string[] = [
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
const permissions = (payment: string): readonly string[] => [
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
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

/**
 * As POLICY, but for the processor's script, its frames, what it calls, and the styles that it writes into elements: no
 * such script promises to keep to trusted types, and none runs where other origins are shut out (COEP).
 */
function fieldsHeaders({ scripts, frames, calls }: OwnFields, framers: string): readonly string[] {
  for (const source of [...scripts, ...frames, ...calls])
    if (!/^https?:\/\/(?:\*\.)?[\w.-]+(?::\d+)?$/.test(source))
      throw new TypeError(`a processor names ${source} as an origin of its fields`);
  const policy = [
    "default-src 'none'",
    `script-src 'self' ${scripts.join(' ')}`,
    "style-src 'self' 'unsafe-inline'",
    `connect-src 'self' ${calls.join(' ')}`,
    `frame-src ${frames.join(' ')}`,
    "base-uri 'none'",
    "form-action 'none'",
    framers,
  ].join('; ');
  return [...ANY_PAGE, ...permissions('self'), 'Content-Security-Policy', policy];
}

/** Answers GET and HEAD of these files; all else goes on. */
export function serveCheckoutFiles({ files, framedBy, challengeOrigins, fields }: CheckoutFiles) {
  async function ofFields(ctx: Exchange, framers: string): Promise<readonly string[] | undefined> {
    const own = await fields(accountIn(ctx), queryOf(ctx, 'connection'));
    return own && fieldsHeaders(own, framers);
  }
  async function ofFrame(ctx: Exchange, framers: string): Promise<readonly string[]> {
    const policy = `${POLICY}; ${framers}`;
    return isChallenge(ctx)
      ? challengeHeaders(policy, await challengeOrigins(accountIn(ctx)))
      : [...PAGE_HEADERS, 'Content-Security-Policy', policy];
  }
  return async function serveCheckoutFile(ctx: Exchange, next: Next): Promise<unknown> {
    const path = ctx.path ?? '';
    if (!path.startsWith(AT) || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) return next();
    const name = path.slice(AT.length);
    const isPage = name === FRAME || name === FIELDS;
    const file = files.get(isPage ? PAGE : name);
    if (file === undefined || name === PAGE) return next();
    if (isPage) {
      const framers = `frame-ancestors ${ancestors(await framedBy(accountIn(ctx)))}`;
      const headers = name === FIELDS ? await ofFields(ctx, framers) : await ofFrame(ctx, framers);
      return headers === undefined ? next() : send(ctx, 200, file.content, headers);
    }
    sendFile(ctx, file);
    if (name.startsWith('sdk/')) setAll(ctx, OF_SDK);
  };
}

const isChallenge = ({ querystring }: Exchange): boolean => new URLSearchParams(querystring).has(CHALLENGE);

/**
 * The page around a bank's page: it may hold pages of these origins, which know nothing of embedders' policies, and of
 * no other.
 */
function challengeHeaders(policy: string, origins: readonly string[]): readonly string[] {
  const wrong = origins.find(
    (origin) => !isSource(origin) || !URL.canParse(origin) || new URL(origin).origin !== origin,
  );
  if (wrong !== undefined) throw new TypeError(`a processor names ${wrong} as the origin of its challenges`);
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

/** The origins as a policy names them, without those that it cannot name. */
export function ancestors(origins: readonly string[] | 'any'): string {
  if (origins === 'any') return '*';
  const named = origins.filter(isSource);
  return named.length === 0 ? "'none'" : named.join(' ');
}
