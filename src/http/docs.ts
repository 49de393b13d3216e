// GET /docs and the pages below it: built files, in a browser that may load nothing from elsewhere (contract §9).
import { type Exchange, type Next, send, setAll } from './exchange.ts';
import { COMMON_HEADERS, NOT_BUILT, sendFile, type WebFiles } from './web-files.ts';

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
