// The README names commands, flags, settings and metrics that exist, and leaves none of the first three out.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { Command } from 'commander';
import { program } from '../../src/cli/program.ts';
import { FAULT_NAMES, PHASES } from '../../src/processors/sandbox/faults/fault-table.ts';
import { SETTING_NAMES, SETTINGS, type Setting } from '../../src/settings.ts';

const pageOf = (path: string): string => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8');
const README = pageOf('README.md');
const DEPLOY = pageOf('deploy/README.md');

/** What stands between a heading and the next one of its kind. */
const sectionOf = (page: string, heading: string): string => page.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';

interface Typed {
  /** `keys create` */
  readonly command: string;
  readonly flags: readonly string[];
}

/** `sandbox clock` is a command of its own, and has one below. */
const DEEPEST = 2;

/** A line as somebody would type it, against the commands that there are; a word such as `list|create` is each of them. */
function typed(line: string): readonly Typed[] {
  const words = line
    .replaceAll('\\|', '|')
    .split(/\s+/)
    .filter((word) => word !== '');
  const flags = words.map((word) => /^\[?(--[a-z-]+)/.exec(word)?.[1]).filter((flag) => flag !== undefined);
  let found: readonly { readonly path: readonly string[]; readonly at: Command }[] = [{ path: [], at: program() }];
  for (const word of words) {
    if (found.every(({ path, at }) => at.commands.length === 0 || path.length === DEEPEST)) break;
    found = found.flatMap(({ path, at }) =>
      word.split('|').map((name) => {
        const next = at.commands.find((one) => one.name() === name);
        if (next === undefined) throw new Error(`${line}: there is no command ${[...path, name].join(' ')}`);
        return { path: [...path, name], at: next };
      }),
    );
  }
  return found.map(({ path, at }) => {
    for (const flag of flags) if (!at.options.some(({ long }) => long === flag)) throw new Error(`${line}: no flag ${flag}`);
    return { command: path.join(' '), flags };
  });
}

const leavesOf = (at: Command, path: readonly string[] = []): readonly string[] =>
  at.commands.length === 0 || path.length === DEEPEST
    ? [path.join(' ')]
    : at.commands.flatMap((one) => leavesOf(one, [...path, one.name()]));

describe('the README', () => {
  it('lists every command, with flags that it has', () => {
    const rows = sectionOf(README, 'Commands')
      .split('\n')
      .filter((line) => line.startsWith('| `'));
    const listed = rows.flatMap((row) => [...(row.split(' | ')[0] ?? '').matchAll(/`([^`]+)`/g)].flatMap(([, line = '']) => typed(line)));
    expect(listed.map(({ command }) => command).toSorted()).to.deep.equal(leavesOf(program()).toSorted());
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
    const source = pageOf('src/telemetry/prometheus.ts');
    const named = [...new Set([...DEPLOY.matchAll(/`(counterfoil_\w+)/g)].map(([, name = '']) => name))];
    expect(named.length).to.be.above(15);
    expect(named.filter((name) => !source.includes(`'${name}'`))).to.deep.equal([]);
  });

  it('leads to places that there are', () => {
    const anchors = [...README.matchAll(/^##+ (.+)$/gm)].map(([, heading = '']) => `#${heading.toLowerCase().replaceAll(' ', '-')}`);
    for (const [, target = ''] of `${README}\n${DEPLOY}`.matchAll(/\]\((?:\.\.\/README\.md)?(#[^)]+)\)/g))
      expect(anchors).to.include(target);
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
