// The files of the browser's checkout: the SDK for merchants' pages, and the card frame, which they show in an iframe (contract §2).
import { type Exchange, type Next, send, setAll } from './exchange.ts';
import { sendFile, type WebFiles } from './web-files.ts';

export interface CheckoutFiles {
  /** By path below /checkout. */
  readonly files: WebFiles;
  /** The origins that may frame the checkout of an account; `any` in test mode. */
  readonly framedBy: (accountId: string) => Promise<readonly string[] | 'any'>;
}

const AT = '/checkout/';
const FRAME = 'frame';
const PAGE = 'frame/index.html';

/** For pages of any origin. A merchant has a new version within minutes, under the same name as long as it stays compatible. */
const OF_SDK: readonly string[] = ['Cross-Origin-Resource-Policy', 'cross-origin', 'Cache-Control', 'public, max-age=300'];
/** Of the page itself, which every embedder may ask for: who may show it is in its policy. */
export const PAGE_HEADERS: readonly string[] = [
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
  'Cross-Origin-Embedder-Policy',
  'require-corp',
  'Permissions-Policy',
  'payment=(self), camera=(), display-capture=(), geolocation=(), microphone=(), usb=()',
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

/** Answers GET and HEAD of these files; all else goes on. */
export function serveCheckoutFiles({ files, framedBy }: CheckoutFiles) {
  return async function serveCheckoutFile(ctx: Exchange, next: Next): Promise<unknown> {
    const path = ctx.path ?? '';
    if (!path.startsWith(AT) || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) return next();
    const name = path.slice(AT.length);
    const file = files.get(name === FRAME ? PAGE : name);
    if (file === undefined || name === PAGE) return next();
    if (name === FRAME) {
      const policy = `${POLICY}; frame-ancestors ${ancestors(await framedBy(accountIn(ctx)))}`;
      return send(ctx, 200, file.content, [...PAGE_HEADERS, 'Content-Security-Policy', policy]);
    }
    sendFile(ctx, file);
    if (name.startsWith('sdk/')) setAll(ctx, OF_SDK);
  };
}

/** The SDK names the account, which is no secret; the page takes no token of another one. '' where none is named. */
export const accountIn = ({ querystring }: Exchange): string => new URLSearchParams(querystring).get('account') ?? '';

/** The origins as a policy names them. */
export function ancestors(origins: readonly string[] | 'any'): string {
  if (origins === 'any') return '*';
  return origins.length === 0 ? "'none'" : origins.join(' ');
}
