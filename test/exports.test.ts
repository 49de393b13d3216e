// What the files of src export: each name has a reader in another file, and a type has one name for one thing.
import { expect } from 'chai';
import { allPaths, readPage } from './docs/pages.ts';

const EXPORTED = /^export (?:abstract )?(?:async )?(?:const|function|class|interface|type) (\w+)/gm;
/** Words of the files that may read an export. */
const READERS = /^(?:src|test|web|client\/src|bench)\/.*\.(?:ts|tsx|mjs)$/;

/** The exports of src that no other file names, each with its file. */
function unread(sources: ReadonlyMap<string, string>): readonly string[] {
  const filesWith = new Map<string, Set<string>>();
  for (const [file, source] of sources)
    for (const word of new Set(source.match(/\w+/g))) filesWith.set(word, (filesWith.get(word) ?? new Set()).add(file));
  return [...sources].flatMap(([file, source]) => {
    if (!file.startsWith('src/')) return [];
    const names = [...source.matchAll(EXPORTED)].map(([, name = '']) => name);
    return [...new Set(names)].filter((name) => filesWith.get(name)?.size === 1).map((name) => `${file}: ${name}`);
  });
}

/** A class, an interface or a type of its own; what a file imports and gives another name in passing is none. */
const TYPE_DECLARATION = /^(export )?(?:abstract )?(?:class|interface|type|enum) (\w+)/gm;
/** An adapter, a model and the log are read on their own: a type that they do not export may have a short name. */
const OWN_NAMES = /^src\/(?:stores|projections|journal)\//;

/** The types that more than one file declares, each with its files. */
function declaredTwice(sources: ReadonlyMap<string, string>): readonly string[] {
  const files = new Map<string, string[]>();
  for (const [file, source] of sources) {
    const names = new Set(
      [...source.matchAll(TYPE_DECLARATION)].flatMap(([, exported, name = '']) =>
        exported !== undefined || !OWN_NAMES.test(file) ? [name] : [],
      ),
    );
    for (const name of names) files.set(name, [...(files.get(name) ?? []), file]);
  }
  return [...files].flatMap(([name, its]) => (its.length > 1 ? [`${name}: ${its.join(', ')}`] : []));
}

describe('what src exports', () => {
  let sources: ReadonlyMap<string, string>;
  before(() => {
    sources = new Map(
      allPaths()
        .filter((path) => READERS.test(path))
        .map((path) => [path, readPage(path).text]),
    );
    expect(sources.size).to.be.above(1_000);
  });
  const ofSource = () => new Map([...sources].filter(([path]) => path.startsWith('src/')));

  it('is named in another file: a policy that nothing runs, or a word that nobody says, is found here', () => {
    expect(unread(sources)).to.deep.equal([]);
  });

  it('is found where no other file names it', () => {
    const planted = new Map([
      ['src/a.ts', 'export const read = 1;\nexport const left = read;\nexport async function lost() {}'],
      ['src/b.ts', "import { read } from './a.ts';\nexport interface Own {}"],
      ['test/b.test.ts', "import type { Own } from '../src/b.ts';\nexport const helper = 1;"],
    ]);
    expect(unread(planted)).to.deep.equal(['src/a.ts: left', 'src/a.ts: lost']);
  });

  it('is, of a type, declared once', () => {
    expect(declaredTwice(ofSource())).to.deep.equal([]);
  });

  it('is found where two files declare a type, and not where one imports it', () => {
    const found = declaredTwice(
      new Map([
        ['src/a.ts', 'export interface Twice {\n  readonly a: 1;\n}\nexport class Once {}'],
        ['src/b.ts', "import type { Once } from './a.ts';\nexport type Twice = Once;\ninterface Own {}"],
        ['src/c.ts', 'interface Own {}\nexport const Once = 1;'],
        ['src/stores/d.ts', 'interface Own {}\ninterface Once {}'],
      ]),
    );
    expect(found).to.deep.equal(['Twice: src/a.ts, src/b.ts', 'Own: src/b.ts, src/c.ts']);
  });
});
