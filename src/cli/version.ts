// counterfoil version
import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { z } from 'zod';
import { type CommonOptions, declare } from './command.ts';
import { print } from './output.ts';

/** The version of the package that contains this file, compiled or not. */
export const packageVersion = (): string =>
  z
    .object({ version: z.string() })
    .parse(JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))).version;

export function version(parent: Command): void {
  declare(parent, {
    usage: 'version',
    summary: 'The version of this program',
    examples: ['version'],
    settings: [],
  }).action((options: CommonOptions) => {
    const { version: node } = process;
    print(
      { json: { version: packageVersion(), node }, text: `counterfoil ${packageVersion()} on Node ${node}` },
      options,
    );
  });
}
