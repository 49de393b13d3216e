// Compresses the files for browsers once, at the end of the build, so that the service has both forms of each text
// ready.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** Compressing smaller files saves no packet. */
const WORTH_BYTES = 1_024;
const TEXTS = /\.(?:js|mjs|css|html|svg|json|txt|map)$/;
const inGzip = promisify(gzip);
const inBrotli = promisify(brotliCompress);
const BEST = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } };
/** Three megabytes at the best quality take longer than the rest of the build, to save a tenth. */
const LARGE_BYTES = 1_000_000;
const LARGE = { params: { [constants.BROTLI_PARAM_QUALITY]: 7 } };

/**
 * Writes `<file>.gz` and `<file>.br` beside every text of a folder.
 * @param {string} folder
 * @param {{ readonly pages: boolean }} options whether pages are compressed: pages that are generated for each response
 *   are not
 */
export async function compressTexts(folder, { pages }) {
  const names = await readdir(folder, { recursive: true });
  const texts = names.filter((name) => TEXTS.test(name) && (pages || !name.endsWith('.html')));
  await Promise.all(
    texts.map(async (name) => {
      const path = join(folder, name);
      const content = await readFile(path);
      if (content.length < WORTH_BYTES) return;
      const brotli = inBrotli(content, content.length < LARGE_BYTES ? BEST : LARGE);
      const [small, smaller] = await Promise.all([inGzip(content, { level: 9 }), brotli]);
      await Promise.all([writeFile(`${path}.gz`, small), writeFile(`${path}.br`, smaller)]);
    }),
  );
}
