// The script of the /docs page, from the package that holds it.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

export const readDocsScript = (): Promise<Uint8Array> =>
  readFile(createRequire(import.meta.url).resolve('openapi-explorer/dist/browser/openapi-explorer.min.js'));
