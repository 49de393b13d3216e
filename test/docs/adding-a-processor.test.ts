// The stub of the tests is the one that docs/adding-a-processor.md writes, line by line. Only its imports begin in
// another folder.
import { posix } from 'node:path';
import { expect } from 'chai';
import { readPage } from './pages.ts';

const GUIDE = readPage('docs/adding-a-processor.md').text;
const FOLDER = 'src/processors/stub/';
const IN_TESTS = 'test/processors/stub/';
const written = new Map(
  [...GUIDE.matchAll(/^```ts\n\/\/ (\S+)\n([\s\S]*?)^```$/gm)].map(([, path = '', text = '']) => [path, text] as const),
);
/** The place in the tests of a file of the guide. */
const placeOf = (path: string): string => path.replace(FOLDER, IN_TESTS);

/** Its imports by their paths from the root, in no order of their own, and all else as it is. */
function withWholeImports(text: string, folder: string): readonly (readonly string[])[] {
  const isImport = (line: string): boolean => line.startsWith('import ');
  const whole = (line: string): string =>
    line.replace(/'(\.[^']+)'/, (_, path: string) => placeOf(posix.join(folder, path)));
  const lines = text.split('\n');
  return [lines.filter(isImport).map(whole).sort(), lines.filter((line) => !isImport(line))];
}

describe('the stub that the guide to processors writes', () => {
  it('is all files of its two adapters', () =>
    expect([...written.keys()].map((path) => posix.basename(placeOf(path))).sort()).to.deep.equal([
      'notifications.ts',
      'stub.ts',
      'two-step.ts',
      'wire.ts',
    ]));

  for (const [path, text] of written)
    it(`is the one of the tests, as far as ${path} goes`, () => {
      const guide = withWholeImports(text, `${posix.dirname(path)}/`);
      expect(guide).to.deep.equal(withWholeImports(readPage(placeOf(path)).text, IN_TESTS));
    });
});
