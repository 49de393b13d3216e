// The pages of decisions: numbered without a gap, all with the template's headings, all in the index, no link that
// leads nowhere.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { ROOT } from '../support/root.ts';

const FOLDER = join(ROOT, 'docs/adr/');
const TEMPLATE = '0000-template.md';
/** Lines of a page, the least and the most. */
const LINES = [25, 60] as const;

const read = (file: string): string => readFileSync(`${FOLDER}${file}`, 'utf8');
const headingsOf = (text: string): readonly string[] => text.split('\n').filter((line) => line.startsWith('## '));
const titleOf = (text: string): string => text.split('\n', 1)[0] ?? '';

const files = readdirSync(FOLDER).sort();
const pages = files.filter((file) => file !== 'README.md' && file !== TEMPLATE);
const index = read('README.md');
const headings = headingsOf(read(TEMPLATE));

describe('the decisions in docs/adr', () => {
  it('are numbered from 0001 on without a gap, and their files are named by number and words', () => {
    expect(pages.map((file) => file.slice(0, 4))).to.deep.equal(
      pages.map((_, place) => String(place + 1).padStart(4, '0')),
    );
    expect(pages.filter((file) => !/^\d{4}(-[a-z0-9]+)+\.md$/.test(file))).to.deep.equal([]);
  });

  for (const file of pages) {
    const text = read(file);

    it(`${file} has its number, a status and the headings of the template`, () => {
      expect(titleOf(text)).to.match(new RegExp(`^# ${file.slice(0, 4)}\\. [A-Z"].*[^.]$`));
      expect(text.split('\n')[2]).to.match(/^Status: (Accepted|Superseded by \[\d{4}\]\(.*\)), \d{4}-\d\d-\d\d$/);
      expect(headingsOf(text)).to.deep.equal(headings);
      expect(text.trimEnd().split('\n').length).to.be.within(...LINES);
    });

    it(`${file} is listed in the index with its title and its status`, () => {
      const row = `| [${file.slice(0, 4)}](${file}) | ${titleOf(text).slice('# 0000. '.length)} | `;
      const status = index
        .split('\n')
        .find((line) => line.startsWith(row))
        ?.slice(row.length);
      const successor = /^Status: Superseded by (.*), /m.exec(text)?.[1];
      if (successor === undefined) expect(status).to.match(/^in force(, with \[.*\))? \|$/);
      else expect(status).to.equal(`superseded by ${successor} |`);
    });
  }

  it('link only to pages that exist, the index included', () => {
    const dead = [...pages, 'README.md'].flatMap((file) =>
      [...read(file).matchAll(/\]\(([^)#]+)\)/g)].flatMap(([, to = '']) =>
        files.includes(to) ? [] : [`${file}: ${to}`],
      ),
    );
    expect(dead).to.deep.equal([]);
  });
});
