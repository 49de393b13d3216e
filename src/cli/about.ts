// The work of counterfoil config and version: every setting with its origin, secrets masked, and the version of this
// program.
import { checkSecretIsSet, describeConfig, readConfig, unknownVariables } from '../config.ts';
import { SETTINGS, type Setting } from '../settings.ts';
import type { CommonOptions } from './command.ts';
import { type CommandResult, print, tell } from './output.ts';
import { packageVersion } from './package-version.ts';
import { table } from './table.ts';

export async function config(given: CommonOptions): Promise<undefined> {
  const data = describeConfig(given, process.env);
  const lines = data.map(({ name, variable, value, origin }) => {
    const { unset = '' }: Setting = SETTINGS[name];
    return [variable, origin, value ?? `(${unset})`];
  });
  const json = { data: data.map(({ value = null, ...rest }) => ({ ...rest, value })) };
  print({ json, text: table(['variable', 'origin', 'value'], lines) }, given);
  for (const variable of unknownVariables(process.env)) tell(`${variable} is not a setting; it is ignored.`);
  // the printed settings may be wrong: then this says so, and the command exits 2
  checkSecretIsSet(readConfig(given, process.env));
}

export async function version(): Promise<CommandResult> {
  const { version: node } = process;
  return { json: { version: packageVersion(), node }, text: `counterfoil ${packageVersion()} on Node ${node}` };
}
