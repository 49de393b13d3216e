// The decisions: each page is short and has the headings of the template, and the index lists each one.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { ROOT } from '../support/root.ts';
import { allPaths, readPage } from './pages.ts';

const FOLDER = join(ROOT, 'docs/adr/');
const TEMPLATE = '0000-template.md';
const MOST_WORDS = 260;
/** Files that may name a decision; the tests of references name some that do not exist. */
const NAMING = /^(?!test\/docs\/references\.).+\.(?:ts|tsx|mjs|py|md|cfg|yml)$/;
const NAMED = /\b(?:ADR|decisions?)[ -](\d{1,4})(?:(?:,| and) (\d{1,4}))?\b/gi;
/** History has its place in git. */
const HISTORY = /^(?:Status: Accepted|## (?:Implemented in|History))/m;

const read = (file: string): string => readFileSync(`${FOLDER}${file}`, 'utf8');
const headingsOf = (text: string): readonly string[] => text.match(/^## .*$/gm) ?? [];
const wordsOf = (text: string): number => text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;

const files = readdirSync(FOLDER).sort();
const pages = files.filter((file) => file !== 'README.md' && file !== TEMPLATE);
const headings = headingsOf(read(TEMPLATE));

describe('the decisions in docs/adr', () => {
  it('have one page for each number, and files that are named by number and words', () => {
    const numbers = pages.map((file) => file.slice(0, 4));
    expect(numbers).to.deep.equal([...new Set(numbers)]);
    expect(pages.filter((file) => !/^\d{4}(-[a-z0-9]+)+\.md$/.test(file))).to.deep.equal([]);
  });

  it('are all in the index, and each once', () => {
    const listed = [...read('README.md').matchAll(/^- \[(\d{4})\]\((\1-[^)]*)\): \S/gm)].map(([, , file]) => file);
    expect(listed.toSorted()).to.deep.equal(pages);
  });

  it('exist if a page or a comment names them by number', () => {
    const numbers = new Set(pages.map((file) => Number(file.slice(0, 4))));
    const gone = allPaths()
      .filter((path) => NAMING.test(path))
      .flatMap((path) =>
        [...readPage(path).text.matchAll(NAMED)]
          .filter(([, ...named]) => named.some((one) => one !== undefined && !numbers.has(Number(one))))
          .map(([named]) => `${path}: ${named}`),
      );
    expect(gone).to.deep.equal([]);
  });

  for (const file of pages) {
    const text = read(file);

    it(`${file} has its number, the headings of the template, no history, and at most ${MOST_WORDS} words`, () => {
      expect(text.split('\n', 1)[0]).to.match(new RegExp(`^# ${file.slice(0, 4)}\\. [A-Z"].*[^.]$`));
      expect(headingsOf(text)).to.deep.equal(headings);
      expect(text).not.to.match(HISTORY);
      expect(wordsOf(text)).to.be.at.most(MOST_WORDS);
    });
  }
});
