// The list of faults (promises/) fits the sources, and names each promise, broken service and broken adapter.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { transformSync } from 'esbuild';
import { VARIANTS } from '../simulation/variants.ts';
import { ROOT } from '../support/root.ts';
import { ALL_FAULTS } from './promises/all.ts';

const LEAST = 4;
const textOf = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

describe('the list of faults', () => {
  it('names a text that its file has once, and another one that compiles', () => {
    for (const fault of ALL_FAULTS) {
      if (!('find' in fault)) continue;
      const { name, file, find, replace } = fault;
      const parts = textOf(file).split(find);
      expect(parts, `${file}: ${name}`).to.have.length(2);
      expect(replace, name).not.to.equal(find);
      expect(() => transformSync(parts.join(replace), { loader: 'ts', target: 'es2023' }), name).not.to.throw();
    }
  });

  it('names each fault once', () => {
    const names = ALL_FAULTS.map(({ promise, name }) => `${promise}: ${name}`);
    expect(names.filter((name, place) => names.indexOf(name) < place)).to.deep.equal([]);
  });

  it(`has ${LEAST} faults at least of each promise of README`, () => {
    const [, promises = ''] = textOf('README.md').split('## What it promises\n');
    const [own = ''] = promises.split('\n## ');
    const named = [...own.matchAll(/^- \*\*(.+?):?\*\*/gm)].map(([, name]) => name);
    expect(named.length).to.be.greaterThan(5);
    for (const name of named)
      expect(ALL_FAULTS.filter(({ promise }) => promise === name).length, name).to.be.at.least(LEAST);
  });

  it('has each service that the simulator breaks', () => {
    const named = ALL_FAULTS.filter(({ promise }) => promise === 'Variant of the simulator').map(({ name }) => name);
    expect(named).to.have.members(VARIANTS.map(({ name }) => name));
  });

  for (const [processor, promise] of [
    ['stripe', 'Broken adapter of Stripe'],
    ['stub', 'Broken adapter of the stub'],
  ] as const)
    it(`has each adapter that the tests of ${processor} break`, () => {
      const text = textOf(`test/processors/${processor}/broken.test.ts`);
      const broken = [...text.matchAll(/^ {2}(['"])(.+?)\1: [[{]/gm)].map(([, , name]) => name);
      const named = ALL_FAULTS.filter((fault) => fault.promise === promise).map(({ name }) => name);
      expect(named).to.have.members(broken);
    });

  it('names the file that breaks what no change of the sources breaks', () => {
    for (const fault of ALL_FAULTS)
      if ('brokenIn' in fault) expect(textOf(fault.brokenIn), fault.name).to.include(fault.name);
  });
});
