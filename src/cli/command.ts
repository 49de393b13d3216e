// The declaration of a command: a summary, an example, its settings as flags, and --json.
import type { Command } from 'commander';
import { type Config, type Flags, readConfig } from '../config.ts';
import { SETTING_NAMES, SETTINGS, type Setting, type SettingName } from '../settings.ts';

interface Declaration {
  /** The command's name and arguments as commander reads them. */
  readonly usage: string;
  readonly summary: string;
  /** An example as it is typed, after `counterfoil`. */
  readonly examples: readonly string[];
  /** What a user can rely on besides the flags, a sentence each. */
  readonly rules?: readonly string[];
  /** The members of its JSON document. */
  readonly json?: string;
  /** The settings that it takes as flags. */
  readonly settings: readonly SettingName[];
  /** False for a command on stores that appends no event itself: it works on a log that has lost its end, too. */
  readonly appends?: false;
}

/** The options by which a command opens its stores. */
export interface StoreFlags extends Flags {
  /** True: goes on with a log that has lost its end. */
  readonly acceptShorterLog?: boolean;
}

/** The arguments that commander hands every command. */
export interface CommonOptions extends StoreFlags {
  readonly json?: boolean;
}

/** Settings of every command on stores: their places, and how they are opened. */
export const STORE_SETTINGS: readonly SettingName[] = [
  'dataDir',
  'eventStore',
  'readModels',
  'storeWait',
  'mode',
  'logLevel',
];
export const ALL_SETTINGS = SETTING_NAMES;
/** Settings of a service that a command starts for itself: it is one process. */
export const OWN_SERVICE_SETTINGS: readonly SettingName[] = SETTING_NAMES.filter((name) => name !== 'workers');

const SETTINGS_HEADING = 'Settings (a flag overrides the environment):';

/** Adds the command to its parent; its options and action follow. */
export function declare(parent: Command, declaration: Declaration): Command {
  const { usage, summary, examples, settings, appends, rules = [], json } = declaration;
  const command = parent.command(usage).description(summary);
  command.option('--json', 'print one JSON document on stdout and nothing else');
  if (settings.includes('eventStore') && appends !== false)
    command.option('--accept-shorter-log', 'go on although the log has lost its end, and put that on record');
  for (const name of settings) addSetting(command, name);
  const lines = examples.map((example) => `  $ counterfoil ${example}`);
  const parts = [
    ...(rules.length > 0 ? [`Rules:\n${rules.map((rule) => filled(`- ${rule}`, '    ')).join('\n')}`] : []),
    ...(json === undefined ? [] : [`JSON:\n${filled(json, '  ')}`]),
    `Example${lines.length > 1 ? 's' : ''}:\n${lines.join('\n')}`,
  ];
  return command.addHelpText('after', `\n${parts.join('\n\n')}`);
}

const WIDTH = 80;

/** The text in lines of at most 80 characters: two blanks before the first one, `indent` before the others. */
function filled(text: string, indent: string): string {
  const [first = '', ...rest] = text.split(' ');
  const lines = [`  ${first}`];
  for (const word of rest) {
    const longer = `${lines.at(-1)} ${word}`;
    if (longer.length <= WIDTH) lines[lines.length - 1] = longer;
    else lines.push(`${indent}${word}`);
  }
  return lines.join('\n');
}

function addSetting(command: Command, name: SettingName): void {
  const { flag, meaning, variable, fallback, unset = '' }: Setting = SETTINGS[name];
  if (flag === undefined) return;
  const without = typeof fallback === 'function' ? fallback('<data dir>') : (fallback ?? unset);
  command.addOption(
    command.createOption(flag, `${meaning} (${variable}; without it: ${without})`).helpGroup(SETTINGS_HEADING),
  );
}

/** Throws WrongSettings. */
export const configOf = (options: Flags): Config => readConfig(options, process.env);

/** A group of commands, such as `keys`. */
export const group = (parent: Command, name: string, summary: string): Command =>
  parent.command(name).description(summary);
