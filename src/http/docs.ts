// GET /docs: the API description as a page that loads nothing from anywhere but here (contract §9).
import { type Content, page, type Route } from './route.ts';

export const DOCS_PATH = '/docs';
const SCRIPT_PATH = '/docs/openapi-explorer.js';

// No inline script, and no origin but this one: the browser lets no version of the package talk to anybody else.
const SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; " +
  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const HTML = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Counterfoil API</title>
<script type="module" src="${SCRIPT_PATH}"></script>
</head>
<body style="margin: 0">
<openapi-explorer spec-url="/openapi.json" server-url="/"></openapi-explorer>
</body>
</html>
`;

const common: readonly string[] = ['X-Content-Type-Options', 'nosniff', 'Referrer-Policy', 'no-referrer'];

/** `script` is the package's bundle for browsers. */
export function docsRoutes(script: Uint8Array): readonly Route[] {
  const html: Content = {
    kind: 'content',
    content: HTML,
    headers: [
      'Content-Type',
      'text/html; charset=utf-8',
      'Content-Security-Policy',
      SECURITY_POLICY,
      'Cache-Control',
      'no-cache',
      ...common,
    ],
  };
  const bundle: Content = {
    kind: 'content',
    content: script,
    headers: ['Content-Type', 'text/javascript; charset=utf-8', 'Cache-Control', 'public, max-age=3600', ...common],
  };
  return [page(DOCS_PATH, 'This description as a page', () => html), page(SCRIPT_PATH, 'The script of that page', () => bundle)];
}
