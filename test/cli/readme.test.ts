// The pages that people begin with name commands, flags and metrics that exist.
import { expect } from 'chai';
import { program } from '../../src/cli/program.ts';
import { FAULT_NAMES, PHASES } from '../../src/processors/sandbox/faults.ts';
import { readPage, sectionOf } from '../docs/pages.ts';
import { typed } from '../docs/typed-command.ts';

const README = readPage('README.md').text;
const DEPLOY = readPage('deploy/README.md').text;
const OPERATING = readPage('docs/operating.md').text;

describe('the README and the pages for operators', () => {
  it('begin with a README of at most 100 lines, whose third line says that no live payment is taken', () => {
    const lines = README.trimEnd().split('\n');
    expect(lines.length).to.be.at.most(100);
    expect(lines[2]).to.match(/^\*\*Test mode only/);
  });

  it('have the version of package.json in the changelog, with what it has', () => {
    const [, version = ''] = /"version": "(.+)"/.exec(readPage('package.json').text) ?? [];
    expect(sectionOf(readPage('CHANGELOG.md').text, version)).to.match(/^- /m);
  });

  it('type commands and flags that exist', () => {
    const lines = [...`${README}\n${DEPLOY}\n${OPERATING}`.matchAll(/npx counterfoil ([a-z][^`\n#|]*)/g)].map(
      ([, line = '']) => line.trim(),
    );
    expect(lines.length).to.be.above(6);
    for (const line of lines) expect(typed(line.replace(/ --help$/, '')), line).to.have.length(1);
  });

  it('name metrics that exist', () => {
    const source = ['prometheus', 'summed-metrics'].map((file) => readPage(`src/telemetry/${file}.ts`).text).join('');
    const named = [...new Set([...DEPLOY.matchAll(/`(counterfoil_\w+)/g)].map(([, name = '']) => name))];
    expect(named.length).to.be.above(15);
    expect(named.filter((name) => !source.includes(`'${name}'`))).to.deep.equal([]);
  });

  it('leave every phase and every fault of a rule to `sandbox faults --help`', () => {
    let help = '';
    const faults = program()
      .commands.find((one) => one.name() === 'sandbox')
      ?.commands.find((one) => one.name() === 'faults');
    const writeOut = (text: string): void => {
      help += text;
    };
    faults?.configureOutput({ writeOut }).outputHelp();
    const words = new Set(help.match(/\w+/g));
    expect([...PHASES, ...FAULT_NAMES].filter((name) => !words.has(name))).to.deep.equal([]);
  });
});
