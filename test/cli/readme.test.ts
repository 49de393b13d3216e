// The README names commands, flags, settings and metrics that exist, and leaves none of the first three out.
import { expect } from 'chai';
import { program } from '../../src/cli/program.ts';
import { FAULT_NAMES, PHASES } from '../../src/processors/sandbox/faults/fault-table.ts';
import { SETTING_NAMES, SETTINGS, type Setting } from '../../src/settings.ts';
import { readPage, sectionOf } from '../docs/pages.ts';
import { leavesOf, typed } from '../docs/typed-command.ts';

const README = readPage('README.md').text;
const DEPLOY = readPage('deploy/README.md').text;

describe('the README', () => {
  it('lists every command, with flags that it has', () => {
    const rows = sectionOf(README, 'Commands')
      .split('\n')
      .filter((line) => line.startsWith('| `'));
    const listed = rows.flatMap((row) => [...(row.split(' | ')[0] ?? '').matchAll(/`([^`]+)`/g)].flatMap(([, line = '']) => typed(line)));
    expect(listed.map(({ command }) => command).toSorted()).to.deep.equal(leavesOf().toSorted());
  });

  it('has nobody type a command or a flag that there is not', () => {
    const lines = [...`${README}\n${DEPLOY}`.matchAll(/npx counterfoil ([a-z][^`\n#|]*)/g)].map(([, line = '']) => line.trim());
    expect(lines.length).to.be.above(15);
    for (const line of lines) expect(typed(line.replace(/ --help$/, '')), line).to.have.length(1);
  });

  it('explains every setting, whose flag is called like it', () => {
    const explained = [...sectionOf(README, 'Settings').matchAll(/^\| (`COUNTERFOIL_[^|]+)\|/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`(COUNTERFOIL_\w+)`/g)].map(([, variable]) => variable),
    );
    expect(explained.toSorted()).to.deep.equal(SETTING_NAMES.map((name) => SETTINGS[name].variable).toSorted());
    for (const name of SETTING_NAMES) {
      const { flag, variable }: Setting = SETTINGS[name];
      if (flag !== undefined)
        expect(flag.split(' ')[0]).to.equal(`--${variable.slice('COUNTERFOIL_'.length).toLowerCase().replaceAll('_', '-')}`);
    }
  });

  it('names no metric that there is not', () => {
    const source = readPage('src/telemetry/prometheus.ts').text;
    const named = [...new Set([...DEPLOY.matchAll(/`(counterfoil_\w+)/g)].map(([, name = '']) => name))];
    expect(named.length).to.be.above(15);
    expect(named.filter((name) => !source.includes(`'${name}'`))).to.deep.equal([]);
  });

  it('is helped out by what `sandbox faults --help` says of rules: every phase and every fault', () => {
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
