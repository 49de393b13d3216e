// A line typed after `counterfoil`, checked against the existing commands.
import type { Command } from 'commander';
import { program } from '../../src/cli/program.ts';

export interface Typed {
  /** `keys create` */
  readonly command: string;
  readonly flags: readonly string[];
}

/**
 * Every command takes --json, and a group takes nothing: `sandbox clock` is a command of its own, and has one below.
 */
const acts = ({ options }: Command): boolean => options.some(({ long }) => long === '--json');

/**
 * The commands that a line names; a word such as `list|create` is each of them. Throws for an unknown command or flag.
 */
export function typed(line: string): readonly Typed[] {
  const words = line
    .replaceAll('\\|', '|')
    .split(/\s+/)
    .filter((word) => word !== '');
  const flags = words.flatMap((word) => [...word.matchAll(/(?:^|[[|])(--[a-z-]+)/g)].map(([, flag = '']) => flag));
  let found: readonly { readonly path: readonly string[]; readonly at: Command }[] = [{ path: [], at: program() }];
  for (const word of words) {
    if (found.every(({ at }) => acts(at))) break;
    found = found.flatMap(({ path, at }) =>
      word.split('|').map((name) => {
        const next = at.commands.find((one) => one.name() === name);
        if (next === undefined) throw new Error(`${line}: there is no command ${[...path, name].join(' ')}`);
        return { path: [...path, name], at: next };
      }),
    );
  }
  return found.map(({ path, at }) => {
    for (const flag of flags)
      if (!at.options.some(({ long }) => long === flag)) throw new Error(`${line}: no flag ${flag}`);
    return { command: path.join(' '), flags };
  });
}
