// The contract's pages: their tables are as the code says, and the rest is short enough to be read.

import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import { SETTING_NAMES, SETTINGS, type Setting } from '../../src/settings.ts';
import { ROOT } from '../support/root.ts';
import { allPaths, readPage, rowsOf } from './pages.ts';

const PAGES = allPaths().filter((path) => path === 'docs/contract.md' || /^docs\/contract\/.*\.md$/.test(path));
const GENERATED = /^<!-- generated: .+ -->\n[\s\S]*?^<!-- end -->$/gm;
const MOST_WORDS = 9_900;
const MOST_CHARACTERS = 210;

describe('the contract', () => {
  it('has the tables that the code says', () => {
    const { status, stderr } = spawnSync(process.execPath, ['web/contract-tables.mjs', '--check'], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    expect([status, stderr]).to.deep.equal([0, '']);
  });

  it('keeps a cell to a fact: a rule is a sentence', () => {
    const cells = PAGES.flatMap((path) => rowsOf(readPage(path).text).flat());
    expect(cells.length).to.be.above(1_500);
    expect(cells.filter((cell) => cell.length > MOST_CHARACTERS)).to.deep.equal([]);
  });

  it('is short besides its tables', () => {
    const sentences = PAGES.map((path) => readPage(path).text.replaceAll(GENERATED, '')).join('\n');
    expect(sentences.split(/\s+/).filter((word) => /[a-z0-9]/i.test(word))).to.have.length.below(MOST_WORDS);
  });

  it('names the flag of a setting after its variable', () => {
    for (const name of SETTING_NAMES) {
      const { flag, variable }: Setting = SETTINGS[name];
      const expected = `--${variable.slice('COUNTERFOIL_'.length).toLowerCase().replaceAll('_', '-')}`;
      if (flag !== undefined) expect(flag.split(' ')[0]).to.equal(expected);
    }
  });
});
