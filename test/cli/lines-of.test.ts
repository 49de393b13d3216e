// Lines end at \n alone, whichever version of Node reads them.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect } from 'chai';
import { linesOf } from '../../src/cli/backup/backup-directory.ts';
import { ROOT } from '../support/root.ts';

/** What Unicode counts as the end of a line, besides \n. */
const SEPARATORS = ['\r', '\v', '\f', '\u001c', '\u001d', '\u001e', '\u0085', '\u2028', '\u2029', '\r\u2028'];
const WRITTEN = SEPARATORS.map((separator) => `T-shirt${separator}blue ${separator}`);

const read = async (text: string, pieceBytes: number): Promise<readonly string[]> => {
  const bytes = Buffer.from(text);
  const pieces = Array.from({ length: Math.ceil(bytes.length / pieceBytes) }, (_, n) =>
    bytes.subarray(n * pieceBytes, (n + 1) * pieceBytes),
  );
  const lines: string[] = [];
  for await (const line of linesOf(Readable.from(pieces, { objectMode: false }))) lines.push(line);
  return lines;
};

describe('lines of a file', () => {
  for (const pieceBytes of [1, 7, 65_536])
    it(`keep every other separator of lines, in pieces of ${pieceBytes} bytes`, async () => {
      expect(await read(`${WRITTEN.join('\n')}\n`, pieceBytes)).to.deep.equal(WRITTEN);
    });

  it('are none in an empty text, and the last one needs no end', async () => {
    expect(await read('', 7)).to.deep.equal([]);
    expect(await read('a\n\nb', 7)).to.deep.equal(['a', '', 'b']);
  });

  it('are read by node:readline only from a terminal', () => {
    const sources = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' });
    const found = sources.filter(
      (path) => path.endsWith('.ts') && /from 'node:readline/.test(readFileSync(join(ROOT, 'src', path), 'utf8')),
    );
    expect(found.map((path) => path.replaceAll('\\', '/')).sort()).to.deep.equal([
      'cli/demo/run-shop.ts',
      'cli/sandbox/acts.ts',
    ]);
  });
});
