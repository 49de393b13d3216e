// The stub of the tests is the one that docs/adding-a-processor.md writes, line by line; only its imports begin in
// another folder.
import { posix } from 'node:path';
import { expect } from 'chai';
import { readPage } from './pages.ts';

const GUIDE = readPage('docs/adding-a-processor.md').text;
const FOLDER = 'src/processors/stub/';
const written = new Map(
  [...GUIDE.matchAll(/^```ts\n\/\/ (\S+)\n([\s\S]*?)^```$/gm)].map(([, path = '', text = '']) => [path, text] as const),
);
const files = [...written.keys()].filter((path) => path.startsWith(FOLDER));

/** Its imports by their paths from the root, in no order of their own, and all else as it is. */
function withWholeImports(text: string, folder: string): readonly (readonly string[])[] {
  const isImport = (line: string): boolean => line.startsWith('import ');
  const whole = (line: string): string =>
    line.replace(/'(\.[^']+)'/, (_, path: string) => posix.join(folder, path).replace('test/processors/stub/', FOLDER));
  const lines = text.split('\n');
  return [lines.filter(isImport).map(whole).sort(), lines.filter((line) => !isImport(line))];
}

describe('the stub that the guide to processors writes', () => {
  it('is its shapes, its notifications and its adapter', () =>
    expect(files.map((path) => posix.basename(path)).sort()).to.deep.equal(['notifications.ts', 'stub.ts', 'wire.ts']));

  for (const path of files)
    it(`is the one of the tests, as far as ${posix.basename(path)} goes`, () => {
      const inTests = `test/processors/stub/${posix.basename(path)}`;
      const guide = withWholeImports(written.get(path) ?? '', FOLDER);
      expect(guide).to.deep.equal(withWholeImports(readPage(inTests).text, 'test/processors/stub/'));
    });
});
