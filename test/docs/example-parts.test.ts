// The guides show the examples' own lines: the fence under each mark is the part of the file that the mark names.
import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import { ROOT } from '../support/root.ts';
import { allPaths, readPage } from './pages.ts';

const MARKS = /^<!-- part: (\S+), \w+ -->\n\n```\w+\n(?!```)/gm;

describe('the parts of the examples in the guides', () => {
  it('are as the examples have them', () => {
    const { status, stderr } = spawnSync(process.execPath, ['web/example-parts.mjs', '--check'], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    expect([status, stderr]).to.deep.equal([0, '']);
  });

  it('are of every example, and there is no mark that nothing follows', () => {
    const guides = allPaths().filter((path) => /^docs\/guides\/.+\.md$/.test(path));
    const texts = guides.map((path) => readPage(path).text).join('\n');
    const shown = [...texts.matchAll(MARKS)].map(([, file = '']) => file);
    expect(shown).to.have.length(texts.split('<!-- part:').length - 1);
    const examples = allPaths().filter((path) => /^examples\/.+(?<!\.md)$/.test(path) && /\.\w+$/.test(path));
    expect([...new Set(shown)].sort()).to.deep.equal([...examples].sort());
  });
});
