// The client compiles in the projects that shops have: each kind of modules, with each line of TypeScript.
import { rmSync } from 'node:fs';
import { expect } from 'chai';
import { leaveOut } from '../support/left-out.ts';
import { COMPILERS, compiled, compilerLacks, type Line, misprinted, type Project, shopFolder } from './shop-project.ts';

interface Row extends Project {
  /** The lines of TypeScript that have these options; all without it. */
  readonly lines?: readonly Line[];
  /** Node cannot run it: a bundler makes a program of it. */
  readonly isBundled?: true;
}

/** TypeScript 6.0 warns of the resolution node10, and 7.0 has it no longer. */
const NODE10 = { moduleResolution: 'node10' };
const ROWS: { readonly [name: string]: Row } = {
  'commonjs, resolved as usual': { type: 'commonjs', options: { module: 'commonjs' } },
  'commonjs, resolved as node10': {
    type: 'commonjs',
    options: { module: 'commonjs', ...NODE10 },
    lines: ['5.4', '5.9', '6.0'],
  },
  'esnext, resolved as node10': {
    type: 'module',
    options: { module: 'esnext', ...NODE10 },
    lines: ['5.4', '5.9', '6.0'],
  },
  'node16 in CommonJS': { type: 'commonjs', options: { module: 'node16' } },
  'node16 in an ES module': { type: 'module', options: { module: 'node16' } },
  'nodenext in CommonJS': { type: 'commonjs', options: { module: 'nodenext' } },
  'nodenext in an ES module': { type: 'module', options: { module: 'nodenext' } },
  'bundler in CommonJS': {
    type: 'commonjs',
    options: { module: 'esnext', moduleResolution: 'bundler' },
    isBundled: true,
  },
  'bundler in an ES module': { type: 'module', options: { module: 'esnext', moduleResolution: 'bundler' } },
};

const LINES: readonly Line[] = ['5.4', '5.9', '6.0', '7.0'];

describe('the client compiles, and runs,', () => {
  let folder: string;
  before(() => {
    folder = shopFolder();
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  for (const line of LINES)
    for (const [name, { type, options, lines = LINES, isBundled = false }] of Object.entries(ROWS)) {
      if (!lines.includes(line)) continue;
      it(`with TypeScript ${line}, ${name}`, async () => {
        const lacks = compilerLacks(line);
        if (lacks !== undefined) leaveOut(lacks);
        const isDeprecated = line === '6.0' && options['moduleResolution'] === 'node10';
        const all = { ...options, ...(isDeprecated && { ignoreDeprecations: '6.0' }) };
        expect(await compiled(folder, line, { type, options: all })).to.equal('');
        if (!isBundled) expect(await misprinted(folder)).to.equal(undefined);
      });
    }

  it('with every line that is listed', () => expect(LINES).to.have.members(Object.keys(COMPILERS)));
});
