// The glossary: each term once, and each where it says that it is in the code.
import { expect } from 'chai';
import { allPaths, readPage, rowsOf, sectionOf } from './pages.ts';

const GLOSSARY = readPage('docs/glossary.md').text;
/** They show wrong words on purpose; decisions quote subjects of commits. */
const EXEMPT: ReadonlySet<string> = new Set(['docs/glossary.md', 'CONTRIBUTING.md', 'test/docs/glossary.test.ts']);
const unused = rowsOf(sectionOf(GLOSSARY, 'Words that are not used'));
const terms = rowsOf(GLOSSARY.split('\n## Words that are not used\n')[0] ?? '');
const words = unused.flatMap(([not = '']) => (not.includes('(') ? [] : not.split(', ')));
const WRONG = new RegExp(`\\b(?:${words.join('|')})\\b`, 'i');

/**
 * Wrong in the sense that these words have here: of a store, of a node, of time, and as a subject (CONTRIBUTING,
 * "Prose").
 */
const WRONG_HERE = /\b(?:is|are|was|were|be|being) away\b|\b(?:stands?|stood|standing) still\b|\bbehind\b|\bwhoever\b/i;
/** "Behind" is for places, and for clocks and nodes that lag. */
const PLACES =
  /\b(?:falls?|fell|lags?|left|leaves|leave|left it|nothing empty|clock is) behind\b|\bbehind (?:one @|a real port|a balancer)/gi;
/** Words of MongoDB's protocol. */
const PROTOCOL = /^test\/support\/mongodb-loopback\//;

interface Line {
  readonly path: string;
  readonly text: string;
}
const linesOf = (path: string, text: string): readonly Line[] => text.split('\n').map((line) => ({ path, text: line }));
const named = ({ path, text }: Line): string => `${path}: ${text.trim()}`;
const isWrong = ({ path, text }: Line): boolean =>
  (WRONG.test(text) && !PROTOCOL.test(path)) || WRONG_HERE.test(text.replaceAll(PLACES, ''));

/**
 * Comments, and texts that have a blank: those without one are names. Expressions inside a text, and regular
 * expressions, are none.
 */
function proseIn(source: string): string {
  const token =
    /\/\/[^\n]*|\/\*[\s\S]*?\*\/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\[\s\S]|[^`\\])*`|\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[ ])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])*\//g;
  const texts = [...source.matchAll(token)].map(([text]) => text);
  const isComment = (text: string): boolean => text.startsWith('//') || text.startsWith('/*');
  const prose = texts.filter((text) => isComment(text) || (!text.startsWith('/') && text.includes(' ')));
  return prose.map((text) => (isComment(text) ? text : text.replaceAll(/\$\{[^}]*\}/g, '…'))).join('\n');
}

describe('the glossary', () => {
  it('has each term once, in the order of its table', () => {
    const names = terms.map(([name = '']) => name);
    expect(names.length).to.be.above(70);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).to.deep.equal([]);
    const tables = GLOSSARY.split('\n## ').map((table) => rowsOf(table).map(([name = '']) => name));
    for (const table of tables)
      expect(table).to.deep.equal([...table].sort((one, other) => one.localeCompare(other, 'en')));
  });

  it('says of each where it is in the code, and it is there', () => {
    for (const [name = '', meaning = '', place = ''] of terms) {
      expect(meaning, name).to.match(/\.$/);
      const [, symbol = '', path = ''] = /^`([\w-]+)` in `([^`]+)`$/.exec(place) ?? [];
      expect(symbol, `${name}: a name and its file`).not.to.equal('');
      const declared = readPage(path).text.replaceAll(/^import [^;]*;/gm, '');
      expect(declared, `${name}: ${symbol} in ${path}`).to.match(new RegExp(`(?<![\\w-])${symbol}(?![\\w-])`));
    }
  });

  it('gives another word for each that is not used, and uses none of them itself', () => {
    const words = new Set(terms.map(([name = '']) => name));
    for (const [not = '', but = ''] of unused) {
      expect(but, not).not.to.equal('');
      if (not.includes('(')) continue; // wrong in one sense only
      for (const word of not.split(', ')) expect(words.has(word), `${word} is a term, too`).to.equal(false);
    }
  });

  it('keeps words that are not used out of the pages', () => {
    const pages = allPaths().filter(
      (path) => path.endsWith('.md') && !path.startsWith('docs/adr/') && !EXEMPT.has(path),
    );
    const lines = pages.flatMap((path) => linesOf(path, readPage(path).text));
    expect(words.length).to.be.above(10);
    expect(lines.filter(({ text }) => WRONG.test(text)).map(named)).to.deep.equal([]);
  });

  it('keeps them, and the words that CONTRIBUTING rules out, out of comments, messages and titles', () => {
    const files = allPaths().filter(
      (path) => path.endsWith('.ts') && /^(?:src|test|bench)\//.test(path) && !EXEMPT.has(path),
    );
    const lines = files.flatMap((path) => linesOf(path, proseIn(readPage(path).text)));
    expect(lines.length).to.be.above(10_000);
    expect(lines.filter(isWrong).map(named)).to.deep.equal([]);
  });

  for (const source of [
    '// Whoever asks is told.',
    '/**\n * The store is away.\n */',
    "it('waits while an outcome is in doubt', () => {});",
    'const text = `the node stands still`;',
    '// an answer that comes behind it',
  ])
    it(`finds a word that is not used in ${source.replaceAll('\n', ' ')}`, () =>
      expect(linesOf('src/a.ts', proseIn(source)).filter(isWrong)).to.have.length(1));

  for (const source of [
    "db.command({ aggregate: 'orders' });",
    'const maybe = (behind: string): string => behind;',
    '// Thrown away at once; one node falls behind another, and a crash left it behind.',
    'const path = /maybe "in doubt/;',
  ])
    it(`finds none in ${source}`, () => expect(linesOf('src/a.ts', proseIn(source)).filter(isWrong)).to.deep.equal([]));
});
