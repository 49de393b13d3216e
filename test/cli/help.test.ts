// The --help of every command, from the commands themselves.
import { expect } from 'chai';
import type { Command } from 'commander';
import { program } from '../../src/cli/program.ts';

/** The commands that can be run, with the words that run them. */
function runnable(command: Command, words: readonly string[] = []): readonly (readonly [string, Command])[] {
  const below = command.commands.flatMap((one) => runnable(one, [...words, one.name()]));
  return command.options.some(({ long }) => long === '--json') ? [[words.join(' '), command], ...below] : below;
}

function helpOf(command: Command): string {
  const parts: string[] = [];
  command.configureOutput({ writeOut: (part) => void parts.push(part) }).outputHelp();
  return parts.join('');
}

describe('the help of every command', () => {
  const commands = runnable(program());

  it('has an example of that command, and --json', () => {
    expect(commands).to.have.length.above(25);
    for (const [words, command] of commands) {
      expect(helpOf(command), words)
        .to.match(/\nExamples?:\n/)
        .and.to.match(new RegExp(`  \\$ (?:npx )?counterfoil ${words}`))
        .and.to.contain('--json ');
    }
  });

  it('says each default once, as people write it', () => {
    for (const [words, command] of commands) {
      for (const option of command.options) {
        const said = command.createHelp().optionDescription(option);
        expect(said.match(/default|without it:/g) ?? [], `${words} ${option.flags}`).to.have.length.below(2);
        expect(said, `${words} ${option.flags}`).not.to.match(/default: \d{4,}/);
      }
    }
  });
});
