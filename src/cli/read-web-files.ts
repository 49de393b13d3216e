// Reads the built pages from dist/web, once at the start.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, extname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type AccountConnections, withoutSecrets } from '../commands/connections/connections.ts';
import type { CheckoutFiles } from '../http/checkout-files.ts';
import { pagePolicy, type WebFile, type WebFiles, type WebRoot } from '../http/web-files.ts';

const TYPES: { readonly [extension: string]: string } = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
  '.json': 'application/json; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.ts': 'text/plain; charset=utf-8',
  '.mts': 'text/plain; charset=utf-8',
  '.tgz': 'application/gzip',
  '.whl': 'application/zip',
};
const COMPRESSED: ReadonlySet<string> = new Set(['.gz', '.br']);
/** Vite's names, `index-CN-WzOjl.js`. The name of a wheel ends in `-none-any.whl`, and has no hash. */
const HASHED = /-[\w-]{8}\.(?!whl$)\w+$/;

/**
 * The folder of a built project: below the first folder above this file that has dist/web, from source and compiled
 * alike.
 */
export function builtFolder(project: string): string {
  const start = dirname(fileURLToPath(import.meta.url));
  for (let at = start; ; at = dirname(at)) {
    const folder = join(at, 'dist/web', project);
    if (existsSync(folder) || dirname(at) === at) return folder;
  }
}

/** The files of a project of web/; none where it is not built. */
export async function readWebFiles(project: string): Promise<WebFiles> {
  const folder = builtFolder(project);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(
    (fault: NodeJS.ErrnoException) => {
      if (fault.code !== 'ENOENT') throw fault; // an unreadable folder is a fault, and no project that was not built
      return [];
    },
  );
  const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const whole = new Set(paths);
  const files = await Promise.all(
    paths
      .filter((path) => !COMPRESSED.has(extname(path)))
      .map(async (path) => [relative(folder, path).replaceAll(sep, '/'), await readWebFile(path, whole)] as const),
  );
  return new Map(files);
}

async function readWebFile(path: string, paths: ReadonlySet<string>): Promise<WebFile> {
  const [content, brotli, gzip] = await Promise.all([
    readFile(path),
    paths.has(`${path}.br`) ? readFile(`${path}.br`) : undefined,
    paths.has(`${path}.gz`) ? readFile(`${path}.gz`) : undefined,
  ]);
  return {
    content,
    ...(brotli !== undefined && { brotli }),
    ...(gzip !== undefined && { gzip }),
    contentType: TYPES[extname(path)] ?? 'application/octet-stream',
    etag: `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`,
    isImmutable: HASHED.test(path),
  };
}

/** The roots of all pages that this process serves. */
export async function readWebRoots(): Promise<readonly WebRoot[]> {
  const dashboard = await readWebFiles('dashboard');
  return [
    { at: '/dashboard', files: dashboard, except: ['/dashboard/api'], fallback: 'index.html', policy: pagePolicy },
  ];
}

interface CheckoutParts {
  readonly connections: { readonly known: Pick<AccountConnections, 'find' | 'processor' | 'shownBy'> };
  readonly queries: { readonly readAllowedOrigins: (accountId: string) => Promise<readonly string[]> };
  /** Without a slash at its end. */
  readonly publicUrl: () => string;
  readonly report: (notice: unknown) => void;
}

/** The SDK and the card frame. An account's own origins may frame the checkout in live mode; in test mode any may. */
export const readCheckoutFiles = async (
  mode: 'test' | 'live',
  { connections: { known }, queries, publicUrl, report }: CheckoutParts,
): Promise<CheckoutFiles> => ({
  files: await readWebFiles('checkout'),
  framedBy: async (accountId) => (mode === 'test' ? 'any' : queries.readAllowedOrigins(accountId)),
  async challengeOrigins(accountId) {
    const origins = (await known.shownBy(accountId)).map(
      async (one) => (await known.processor(one.processor))?.challengeOrigins?.(one) ?? [],
    );
    return (await Promise.all(origins)).flat();
  },
  async fields(accountId, connectionId) {
    const found = known.find(accountId, connectionId);
    return found && (await known.processor(found.doc.processor))?.fields?.(withoutSecrets(found));
  },
  publicUrl,
  report,
});
