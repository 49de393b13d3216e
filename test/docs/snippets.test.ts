// The walks in docs/adding-*.md: their snippets are laid over a copy of the tree, compiled, formatted as ours are, and
// their tests run.
import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { ROOT } from '../support/root.ts';
import { allPaths, type Page, readPage } from './pages.ts';
import { laid } from './snippets.ts';

const GUIDES = allPaths().filter((path) => /^docs\/adding-[\w-]+\.md$/.test(path));
const read = (path: string): string | undefined =>
  existsSync(join(ROOT, path)) ? readFileSync(join(ROOT, path), 'utf8') : undefined;

const COPIED = [
  'src',
  'test',
  'docs',
  'package.json',
  'tsconfig.json',
  '.mocharc.json',
  'biome.json',
  'biome-regexp.grit',
  'biome-web.grit',
  'biome-world.grit',
];

/** Where the copy is compiled to: its tests are run from there, which is quicker than from source. */
const COMPILED = 'dist/tests';

describe('the snippets of the guides', () => {
  let files: ReadonlyMap<string, string>;
  let copy: string;

  before(() => {
    files = laid(GUIDES.map(readPage), read);
    copy = mkdtempSync(join(tmpdir(), 'counterfoil-guides-'));
    for (const path of COPIED) cpSync(join(ROOT, path), join(copy, path), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
    for (const [path, text] of files) write(path, text);
    const compilerOptions = { rootDir: '.', outDir: COMPILED };
    const checked = { extends: './tsconfig.json', compilerOptions, include: ['src', ...testsOf(files)] };
    write('tsconfig.guides.json', JSON.stringify(checked));
  });
  after(() => rmSync(copy, { recursive: true, force: true }));

  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(copy, path)), { recursive: true });
    writeFileSync(join(copy, path), text);
  };
  /** The tests that are new. */
  const testsOf = (made: ReadonlyMap<string, string>): readonly string[] =>
    [...made.keys()].filter((path) => path.endsWith('.test.ts') && read(path) === undefined);
  /** The output of a tool, with '' for success. */
  const faultsOf = (tool: string, ...args: readonly string[]): Promise<string> =>
    new Promise((resolve) => {
      execFile(
        process.execPath,
        [join(copy, 'node_modules', tool), ...args],
        { cwd: copy, env: plain() },
        (fault, out, err) => resolve(fault === null ? '' : `${out}${err}` || String(fault)),
      );
    });

  it('are there', () => expect([...files.keys()].filter((path) => path.startsWith('src/')).length).to.be.above(5));

  it('compile: a fault that is planted in one of them is the only one that is found', async () => {
    const [path = '', text = ''] =
      [...files].find(([made]) => made.startsWith('src/') && read(made) === undefined) ?? [];
    write(path, `${text}const planted: string = 1;\nexport { planted };\n`);
    const faults = await faultsOf('typescript/bin/tsc', '-p', 'tsconfig.guides.json', '--checkers', '1');
    write(path, text);
    expect(faults.trim().replace(/\(\d+,\d+\)/, '')).to.equal(
      `${path}: error TS2322: Type 'number' is not assignable to type 'string'.`,
    );
  });

  it('are formatted and linted as the code is', async () => {
    const sources = [...files.keys()].filter((path) => path.endsWith('.ts'));
    expect(await faultsOf('@biomejs/biome/bin/biome', 'check', '--vcs-enabled=false', ...sources)).to.equal('');
  });

  it('pass their own tests', async () => {
    expect(testsOf(files)).not.to.deep.equal([]);
    const made = testsOf(files).map((path) => join(COMPILED, path.replace(/\.ts$/, '.js')));
    expect(await faultsOf('mocha/bin/mocha.js', '--no-config', '--timeout', '300000', ...made)).to.equal('');
  });
});

/** Without what this run of mocha hands to its own children. */
function plain(): NodeJS.ProcessEnv {
  const { NODE_OPTIONS: _ours, MOCHA_WORKER_ID: _worker, ...others } = process.env;
  return others;
}

describe('the reader of snippets', () => {
  const tree: Readonly<Record<string, string>> = { 'src/a.ts': 'one\ntwo\n\nthree\ntwo\n' };
  const lay = (text: string): ReadonlyMap<string, string> => laid([page(text)], (path) => tree[path]);
  const page = (text: string): Page => ({ path: 'docs/adding-a-thing.md', text });
  const fence = (language: string, ...lines: readonly string[]): string =>
    ['```', language, '\n', ...lines.map((line) => `${line}\n`), '```\n'].join('');

  it('takes a new file without the line that names it', () => {
    expect([...lay(fence('ts', '// src/b.ts', '// A file.', 'export {};'))]).to.deep.equal([
      ['src/b.ts', '// A file.\nexport {};\n'],
    ]);
  });

  it('takes edits, one after the other', () => {
    const text = fence(
      'diff',
      '@@ src/a.ts @@',
      ' two',
      '',
      '+new',
      ' three',
      '@@ src/a.ts @@',
      '-one',
      '+1',
      ' two',
      '',
    );
    expect(lay(text).get('src/a.ts')).to.equal('1\ntwo\n\nnew\nthree\ntwo\n');
  });

  it('edits what an earlier snippet made', () => {
    expect(lay(fence('ts', '// src/b.ts', 'a') + fence('diff', '@@ src/b.ts @@', ' a', '+b')).get('src/b.ts')).to.equal(
      'a\nb\n',
    );
  });

  it('leaves other fences alone', () => expect(lay(fence('sh', 'npm test') + fence('', 'text')).size).to.equal(0));

  const REFUSED: Readonly<Record<string, readonly [string, RegExp]>> = {
    'a snippet without its file': [fence('ts', 'const a = 1;'), /begins with "const a = 1;", not with its file/],
    'a new file that exists': [fence('ts', '// src/a.ts', 'a'), /src\/a\.ts is there already/],
    'an edit without its file': [fence('diff', '+a'), /begins with "\+a", not with its file/],
    'an edit of no file': [fence('diff', '@@ src/b.ts @@', ' a', '+b'), /no src\/b\.ts to edit/],
    'lines that are not in the file': [fence('diff', '@@ src/a.ts @@', ' four', '+b'), /stand 0 times/],
    'lines that are there twice': [fence('diff', '@@ src/a.ts @@', ' two', '+b'), /stand 2 times/],
    'an edit whose lines do not occur': [fence('diff', '@@ src/a.ts @@', '+b'), /not once/],
    'a line without a sign': [fence('diff', '@@ src/a.ts @@', 'two'), /neither a blank/],
  };
  for (const [name, [text, fault]] of Object.entries(REFUSED))
    it(`refuses ${name}`, () => expect(() => lay(text)).to.throw(fault));
});
