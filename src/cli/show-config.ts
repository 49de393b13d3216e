// counterfoil config: every setting with its origin, secrets masked.
import type { Command } from 'commander';
import { checkSecretIsSet, describeConfig, unknownVariables } from '../config.ts';
import { SETTINGS, type Setting } from '../settings.ts';
import { ALL_SETTINGS, type CommonOptions, configOf, declare } from './command.ts';
import { print, tell } from './output.ts';
import { table } from './table.ts';

export function showConfig(parent: Command): void {
  declare(parent, {
    usage: 'config',
    summary: 'Every setting with its value and source',
    examples: ['config', 'config --port 8080'],
    settings: ALL_SETTINGS,
    appends: false,
  }).action((options: CommonOptions) => {
    const data = describeConfig(options, process.env);
    const rows = data.map(({ name, variable, value, origin }) => {
      const { unset = '' }: Setting = SETTINGS[name];
      return [variable, origin, value ?? `(${unset})`];
    });
    print(
      {
        json: { data: data.map(({ value = null, ...rest }) => ({ ...rest, value })) },
        text: table(['variable', 'origin', 'value'], rows),
      },
      options,
    );
    for (const variable of unknownVariables(process.env)) tell(`${variable} is not a setting; it is ignored.`);
    // the printed settings may be wrong: then this says so, and the command exits 2
    checkSecretIsSet(configOf(options));
  });
}
