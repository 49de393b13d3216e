// The built pages as the server answers them: files in memory, with the headers of a page that may load nothing from
// elsewhere.
import { type Exchange, type Next, send, setAll } from './exchange.ts';

export interface WebFile {
  readonly content: Uint8Array;
  /** The content, compressed at build time. */
  readonly brotli?: Uint8Array;
  readonly gzip?: Uint8Array;
  readonly contentType: string;
  readonly etag: string;
  /** Its name holds a hash of its content, so it never changes. */
  readonly isImmutable: boolean;
}

/** By path below their root, such as `assets/index-CN-WzOjl.js`. */
export type WebFiles = ReadonlyMap<string, WebFile>;

export interface WebRoot {
  /** `/dashboard`: files are below it, and a request of itself is led to it with a slash. */
  readonly at: string;
  readonly files: WebFiles;
  /** Paths below `at` that are none of ours, such as the API of the pages. */
  readonly except: readonly string[];
  /** The file for every unknown path, because the page itself routes: `index.html`. */
  readonly fallback: string;
  /** The page's policy (CSP); `styleNonce` allows the style tags of this answer. */
  readonly policy: (styleNonce: string) => string;
}

/** Nothing from another origin, no inline script, no frame around it; style tags with this answer's nonce alone. */
export const pagePolicy = (styleNonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${styleNonce}'`,
    "connect-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'self'",
  ].join('; ');

/** The headers of every file, pages or not. */
const COMMON_HEADERS: readonly string[] = [
  'X-Content-Type-Options',
  'nosniff',
  'Referrer-Policy',
  'no-referrer',
  'Cross-Origin-Opener-Policy',
  'same-origin',
  'Cross-Origin-Resource-Policy',
  'same-origin',
  'Permissions-Policy',
  'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()',
];

const NONCE_PLACE = '__STYLE_NONCE__';
const NONCE_BYTES = 16;
const YEAR = 'public, max-age=31536000, immutable';

/** Answers GET and HEAD below the roots, and passes other requests on. `randomBytes` makes the nonces. */
export function serveWebFiles(roots: readonly WebRoot[], randomBytes: (count: number) => Uint8Array) {
  return function serveWebFile(ctx: Exchange, next: Next): Promise<unknown> | undefined {
    const path = ctx.path ?? '';
    const root = roots.find(({ at }) => path === at || path.startsWith(`${at}/`));
    if (root === undefined || (ctx.method !== 'GET' && ctx.method !== 'HEAD') || isExcepted(root, path)) return next();
    if (path === root.at) {
      send(ctx, 302, '', ['Location', `${root.at}/`, 'Cache-Control', 'no-cache', ...COMMON_HEADERS]);
      return;
    }
    const name = path.slice(root.at.length + 1);
    const file = root.files.get(name);
    if (file !== undefined && name !== root.fallback) sendFile(ctx, file);
    else sendPage(ctx, root, Buffer.from(randomBytes(NONCE_BYTES)).toString('base64'));
  };
}

const isExcepted = ({ except }: WebRoot, path: string): boolean =>
  except.some((one) => path === one || path.startsWith(`${one}/`));

/** Answers with a file, in the encoding that the browser takes best; 304 where it has the file already. */
export function sendFile(ctx: Exchange, file: WebFile, status: 200 | 404 = 200): void {
  const { contentType, etag, isImmutable } = file;
  setAll(ctx, [
    'ETag',
    etag,
    'Cache-Control',
    isImmutable ? YEAR : 'no-cache',
    'Vary',
    'Accept-Encoding',
    ...COMMON_HEADERS,
  ]);
  if (ctx.get('If-None-Match').includes(etag)) {
    ctx.status = 304;
    return;
  }
  const [content, encoding] = encoded(file, (asked) => ctx.acceptsEncodings(asked) === asked);
  send(ctx, status, content, [
    'Content-Type',
    contentType,
    ...(encoding === undefined ? [] : ['Content-Encoding', encoding]),
  ]);
}

/** The smallest that the browser takes: most of them name gzip first, and mean no preference by it. */
function encoded(
  { content, brotli, gzip }: WebFile,
  takes: (encoding: string) => boolean,
): [Uint8Array, string | undefined] {
  if (brotli !== undefined && takes('br')) return [brotli, 'br'];
  return gzip !== undefined && takes('gzip') ? [gzip, 'gzip'] : [content, undefined];
}

/** Where the built files are missing. */
const NOT_BUILT =
  '<!doctype html><title>Counterfoil</title><p>The pages are not built. Run <code>npm run build</code>.</p>';

/** The page that finds its own way; made for each answer, because the nonce stands in it. */
function sendPage(ctx: Exchange, { files, fallback, policy }: WebRoot, nonce: string): void {
  const page = files.get(fallback);
  const text =
    page === undefined ? NOT_BUILT : Buffer.from(page.content).toString('utf8').replaceAll(NONCE_PLACE, nonce);
  const headers = [
    'Content-Type',
    'text/html; charset=utf-8',
    'Cache-Control',
    'no-cache',
    'Content-Security-Policy',
    policy(nonce),
  ];
  send(ctx, page === undefined ? 503 : 200, text, [...headers, ...COMMON_HEADERS]);
}

export const DOCS_PATH = '/docs';
/** The pages that Scalar draws. */
const API_REFERENCES: readonly string[] = ['api.html', 'management-api.html'];
const NOT_FOUND = '404.html';

/** `styles`: more sources of styles than the files. */
const policy = (styles: string): string =>
  `default-src 'none'; script-src 'self'; style-src 'self'${styles}; connect-src 'self'; img-src 'self' data:; font-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'`;

const POLICY = policy('');
/** Scalar writes style tags and attributes itself, and accepts no nonce. */
const POLICY_OF_REFERENCE = policy(" 'unsafe-inline'");

/**
 * Answers GET and HEAD of the pages: `testing.html` is /docs/testing. All else goes on. `read` is called with the first
 * request, and again after it failed.
 */
export function serveDocs(read: () => Promise<WebFiles>) {
  let reading: Promise<WebFiles> | undefined;
  return function servePage(ctx: Exchange, next: Next): Promise<unknown> | undefined {
    const path = ctx.path ?? '';
    const isOurs = path === DOCS_PATH || path.startsWith(`${DOCS_PATH}/`);
    if (!isOurs || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) return next();
    if (path.endsWith('/')) {
      send(ctx, 302, '', ['Location', path.replace(/(?<!\/)\/+$/, ''), 'Cache-Control', 'no-cache', ...COMMON_HEADERS]);
      return;
    }
    reading ??= read().catch((fault: unknown) => {
      reading = undefined;
      throw fault;
    });
    return reading.then((files) => answerPage(ctx, files, nameOf(path)));
  };
}

function answerPage(ctx: Exchange, files: WebFiles, name: string): void {
  const found = files.get(name);
  const file = found ?? files.get(NOT_FOUND);
  if (found === undefined || name.endsWith('.html'))
    setAll(ctx, ['Content-Security-Policy', API_REFERENCES.includes(name) ? POLICY_OF_REFERENCE : POLICY]);
  if (file === undefined)
    send(ctx, 503, NOT_BUILT, ['Content-Type', 'text/html; charset=utf-8', 'Cache-Control', 'no-cache']);
  else sendFile(ctx, file, found === undefined ? 404 : 200);
}

/** The file of a path: a last step without a dot is a page. */
function nameOf(path: string): string {
  if (path === DOCS_PATH) return 'index.html';
  const name = path.slice(DOCS_PATH.length + 1);
  return /\.\w+$/.test(name) ? name : `${name}.html`;
}
