// The service's own code for the steps of the build: what its source exports, bundled for one run.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** @param {string} contents export lines, with paths from src/ */
export async function serviceCode(contents) {
  const outfile = join(ROOT, `dist/.service-code-${process.pid}.mjs`);
  await build({
    stdin: { contents, resolveDir: join(ROOT, 'src') },
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    outfile,
  });
  try {
    return await import(pathToFileURL(outfile).href);
  } finally {
    rmSync(outfile, { force: true });
  }
}

/**
 * Stands in for all parts of the service that its routes are made from: a description asks no handler, so none of them
 * is ever called. The shapes of the fault plan are the sandbox's own, and come to its routes as parts.
 */
export function describingParts({ faultPlan, faultReport }) {
  const parts = new Proxy(() => parts, { get: (_, name) => ({ faultPlan, faultReport })[name] ?? parts });
  return parts;
}
