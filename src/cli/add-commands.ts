// Commander's commands from the rows of the table, and the runner of their functions. What a command needs is loaded
// when it runs, so that all start fast.
import { Argument, type Command, Option } from 'commander';
import { SETTINGS, type Setting, type SettingName } from '../settings.ts';
import { commandLine } from './as-typed.ts';
import { type AnyRow, type CommonOptions, type ModuleOf, type Rows, STORE_SETTINGS } from './command.ts';
import { EXIT } from './exit.ts';
import { isAskedForSettings, SETTINGS_HEADING, settingsHint } from './help.ts';
import { type CommandResult, print, tell } from './output.ts';
import { nearOnes } from './values.ts';

/** A group of commands, such as `keys`. */
export const group = (parent: Command, name: string, summary: string): Command =>
  suggesting(parent.command(name).description(summary));

/** The group, which answers an unknown command with those that may be meant. */
export const suggesting = (command: Command): Command =>
  command.on('command:*', ([typed = '']: readonly string[]) => {
    const message = `error: unknown command '${typed}'\n${meantBy(typed, command)}`;
    command.error(message, { code: 'commander.unknownCommand' });
  });

/** A group with more commands is not listed after a mistake. */
const MOST_LISTED = 10;

function meantBy(typed: string, group: Command): string {
  const inside = nearOnes(
    typed,
    group.commands.map((one) => one.name()),
  ).map((name) => wordsOf(group, name));
  const elsewhere = runnable(rootOf(group)).filter((words) => words.endsWith(` ${typed}`));
  const near = inside.length > 0 || elsewhere.length > NEAR_ELSEWHERE ? inside : elsewhere;
  if (near.length > 0) return `Did you mean ${near.map((words) => `\`counterfoil ${words}\``).join(' or ')}?`;
  const help = `\`counterfoil ${wordsOf(group, '--help')}\``;
  if (group.commands.length > MOST_LISTED) return `${help} lists the commands.`;
  return `The commands here are ${group.commands.map((one) => one.name()).join(', ')}: see ${help}.`;
}

/** A word that more groups have, such as list, names none of them. */
const NEAR_ELSEWHERE = 2;

const rootOf = (command: Command): Command => (command.parent === null ? command : rootOf(command.parent));

/** The words of a command below a group: `webhooks endpoints list`. */
const wordsOf = (group: Command, name: string): string =>
  group.parent === null ? name : wordsOf(group.parent, `${group.name()} ${name}`);

/** The words of each command that can be run. */
const runnable = (command: Command): readonly string[] =>
  command.commands.flatMap((one) => [wordsOf(command, one.name()), ...runnable(one)]);

/** Adds a command for each row, which runs the function of the same name of the module. */
export function add<R extends Rows>(parent: Command, rows: R, load: () => Promise<ModuleOf<R>>): void;
export function add(parent: Command, rows: Rows, load: () => Promise<object>): void {
  for (const [name, row] of Object.entries(rows)) {
    const { path, args } = partsOf(row.usage);
    const command = declared(below(parent, path), path.at(-1) ?? '', row);
    for (const argument of args) command.addArgument(argumentOf(argument, row));
    command.action(async () => {
      const given = givenTo(command);
      row.check?.(given);
      const module = await load();
      await run(row.opens ?? 'nothing', Reflect.get(module, name), given);
    });
  }
}

/** `clock advance <duration>`: the words, and the arguments. */
function partsOf(usage: string): { readonly path: readonly string[]; readonly args: readonly string[] } {
  const words = usage.split(' ');
  const isArgument = (word: string): boolean => /^[<[]/.test(word);
  return { path: words.filter((word) => !isArgument(word)), args: words.filter(isArgument) };
}

/** The command that the end of a path is added to. */
const below = (parent: Command, path: readonly string[]): Command =>
  path.slice(0, -1).reduce((at, word) => at.commands.find((one) => one.name() === word) ?? at, parent);

function argumentOf(text: string, { argument }: AnyRow): Argument {
  const described = argument?.[text.slice(1, -1)];
  return described === undefined ? new Argument(text) : new Argument(text, described[0]).argParser(described[1]);
}

/** Options and arguments by their names. A command that has one below takes the flags after it: they are the same. */
function givenTo(command: Command): CommonOptions {
  const values = command.registeredArguments.map((argument, at) => [argument.name(), command.processedArgs[at]]);
  return { ...command.optsWithGlobals(), ...Object.fromEntries(values) };
}

function declared(parent: Command, name: string, row: AnyRow): Command {
  const { summary, examples, settings = STORE_SETTINGS, appends, rules = [], json, options = {}, more } = row;
  const command = parent.command(name).description(summary);
  command.option('--json', 'print one JSON document on stdout and nothing else');
  if (settings.includes('eventStore') && appends !== false)
    command.option('--accept-shorter-log', 'go on although the log has lost its end, and put that on record');
  for (const setting of settings) addSetting(command, setting);
  for (const [member, option] of Object.entries(options)) command.addOption(option(flagOf(member)));
  const parts = [
    ...(rules.length > 0 ? [`Rules:\n${rules.map((rule) => filled(`- ${rule}`, '    ')).join('\n')}`] : []),
    ...(json === undefined ? [] : [`JSON:\n${filled(json, '  ')}`]),
    `Example${examples.length > 1 ? 's' : ''}:\n${examples.map(exampleLines).join('\n')}`,
    ...settingsHint(command),
  ];
  const below = `\n${parts.join('\n\n')}${more === undefined ? '' : `\n${more}`}`;
  return command.addHelpText('after', () => (isAskedForSettings() ? '' : below));
}

/** `dryRun`: `--dry-run`. */
const flagOf = (member: string): string => `--${member.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

const WIDTH = 80;

/** The text in lines of at most 80 characters: two blanks before the first one, `indent` before the others. */
const filled = (text: string, indent: string): string => filledWith(text.split(' '), indent, '');

/** A command as a shell takes it: a longer one goes on with its next option, after a backslash. */
const exampleLines = (example: string): string =>
  filledWith(`$ ${commandLine(example)}`.split(/ (?=--)/), '      ', ' \\');

/** `end`: of each line but the last. */
function filledWith([first = '', ...rest]: readonly string[], indent: string, end: string): string {
  const lines = [`  ${first}`];
  for (const part of rest) {
    const longer = `${lines.at(-1)} ${part}`;
    if (longer.length + end.length <= WIDTH) lines[lines.length - 1] = longer;
    else lines.push(`${indent}${part}`);
  }
  return lines.join(`${end}\n`);
}

function addSetting(command: Command, name: SettingName): void {
  const { flag, meaning, variable, fallback, unset = '' }: Setting = SETTINGS[name];
  if (flag === undefined) return;
  const without = typeof fallback === 'function' ? fallback('<data dir>') : (fallback ?? unset);
  command.addOption(new Option(flag, `${meaning} (${variable}; without it: ${without})`).helpGroup(SETTINGS_HEADING));
}

/** The function of any row; that it takes what the row says, `add` has checked. */
type Work = (given: CommonOptions, opened: unknown) => Promise<CommandResult | undefined>;

const isWork = (value: unknown): value is Work => typeof value === 'function';

/** Throws what opening and the function throw. */
async function run(opens: 'nothing' | 'service' | 'sandbox', work: unknown, given: CommonOptions): Promise<void> {
  if (!isWork(work)) throw new TypeError('a row without its function');
  const show = async (opened: unknown): Promise<void> => shown(await work(given, opened), given);
  switch (opens) {
    case 'nothing':
      return show(undefined);
    case 'service':
      return (await import('./open/with-stores.ts')).withService(given, show);
    case 'sandbox':
      return (await import('./open/with-stores.ts')).withSandbox(given, show);
    default:
      return opens satisfies never;
  }
}

function shown(result: CommandResult | undefined, given: CommonOptions): void {
  if (result === undefined) return;
  const { notes = [], warnings = [], isRefused = false } = result;
  if (given.json === true || result.text !== '') print(result, given);
  if (given.json !== true) for (const note of notes) tell(note);
  for (const warning of warnings) tell(warning);
  if (isRefused) process.exitCode = EXIT.refused;
}
