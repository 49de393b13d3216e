// The glossary: each term once, and each where it says that it is in the code.
import { expect } from 'chai';
import { allPaths, readPage, rowsOf, sectionOf } from './pages.ts';

const GLOSSARY = readPage('docs/glossary.md').text;
/** They show wrong words on purpose; decisions quote subjects of commits. */
const EXEMPT: ReadonlySet<string> = new Set(['docs/glossary.md', 'CONTRIBUTING.md']);
const unused = rowsOf(sectionOf(GLOSSARY, 'Words that are not used'));
const terms = rowsOf(GLOSSARY.split('\n## Words that are not used\n')[0] ?? '');

describe('the glossary', () => {
  it('has each term once, in the order of its table', () => {
    const names = terms.map(([name = '']) => name);
    expect(names.length).to.be.above(70);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).to.deep.equal([]);
    const tables = GLOSSARY.split('\n## ').map((table) => rowsOf(table).map(([name = '']) => name));
    for (const table of tables) expect(table).to.deep.equal([...table].sort((one, other) => one.localeCompare(other, 'en')));
  });

  it('says of each where it is in the code, and it is there', () => {
    for (const [name = '', meaning = '', place = ''] of terms) {
      expect(meaning, name).to.match(/\.$/);
      const [, symbol = '', path = ''] = /^`([\w-]+)` in `([^`]+)`$/.exec(place) ?? [];
      expect(symbol, `${name}: a name and its file`).not.to.equal('');
      expect(readPage(path).text, `${name}: ${symbol} in ${path}`).to.match(new RegExp(`(?<![\\w-])${symbol}(?![\\w-])`));
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
    const words = unused.flatMap(([not = '']) => (not.includes('(') ? [] : not.split(', ')));
    const wrong = new RegExp(`\\b(?:${words.join('|')})\\b`, 'i');
    const pages = allPaths().filter((path) => path.endsWith('.md') && !path.startsWith('docs/adr/') && !EXEMPT.has(path));
    const lines = pages.flatMap((path) =>
      readPage(path)
        .text.split('\n')
        .map((line) => `${path}: ${line}`),
    );
    expect(words.length).to.be.above(10);
    expect(lines.filter((line) => wrong.test(line))).to.deep.equal([]);
  });
});
