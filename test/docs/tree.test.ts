// The tree of folders in docs/architecture.md against the existing folders.
import { expect } from 'chai';
import { allPaths, readPage, sectionOf } from './pages.ts';

const PATHS = allPaths();
const block = /```\n([\s\S]*?)```/.exec(sectionOf(readPage('docs/architecture.md').text, 'The tree'))?.[1] ?? '';

/**
 * Paths of the tree, from the root: an indented line belongs to the folder above it; further names follow its words.
 */
function pathsOf(tree: string): readonly string[] {
  let folder = '';
  return tree.split('\n').flatMap((line) => {
    const [, indent, name] = /^( *)([\w.-]+\/?)(?: |$)/.exec(line) ?? [];
    if (name === undefined) return [];
    if (indent === '') folder = name;
    return [(indent === '' ? name : `${folder}${name}`).replace(/\/$/, '')];
  });
}

describe('the tree of folders in the architecture page', () => {
  const listed = pathsOf(block);

  it('lists the existing folders', () => {
    expect(listed.length).to.be.above(20);
    expect(listed.filter((path) => !PATHS.includes(path))).to.deep.equal([]);
  });

  it('leaves no folder and no file of src out', () => {
    const inSource = PATHS.filter((path) => /^src\/[^/]+$/.test(path));
    const others = [...block.matchAll(/([\w-]+\.ts) /g)].map(([, name]) => `src/${name}`);
    expect(inSource.filter((path) => !listed.includes(path) && !others.includes(path))).to.deep.equal([]);
  });
});
