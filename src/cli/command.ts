// A row of the table of commands: its words, its options, and what is open when it runs. The types of the values that
// its function gets are inferred from the row.
import { Option } from 'commander';
import type { Flags } from '../config.ts';
import type { Sandbox } from '../processors/sandbox/sandbox-interface.ts';
import { SETTING_NAMES, type SettingName } from '../settings.ts';
import type { Opened } from './open/open.ts';
import type { CommandResult } from './output.ts';

/** The options by which a command opens its stores. */
export interface StoreFlags extends Flags {
  /** True: goes on with a log that has lost its end. */
  readonly acceptShorterLog?: boolean;
}

/** The options of every command. */
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

/** An option without its name, which is that of the member of `options`; `gives`: the type of its value. */
interface OptionOf<T> {
  (name: string): Option;
  readonly gives?: T;
}
type Parse<T> = (text: string, before: T | undefined) => T;

/** True if it is typed. */
export const flag =
  (says: string): OptionOf<boolean | undefined> =>
  (name) =>
    new Option(name, says);

/** `placeholder`: such as `<id>`; `parse` throws InvalidArgumentError. */
export function value(placeholder: string, says: string): OptionOf<string | undefined>;
export function value<T>(placeholder: string, says: string, parse: Parse<T>): OptionOf<T | undefined>;
export function value(placeholder: string, says: string, parse: Parse<unknown> = asText): OptionOf<unknown> {
  return (name) => new Option(`${name} ${placeholder}`, says).argParser(parse);
}

/** As value, for an option that the command does not do without. */
export function needed(placeholder: string, says: string): OptionOf<string>;
export function needed<T>(placeholder: string, says: string, parse: Parse<T>): OptionOf<T>;
export function needed(placeholder: string, says: string, parse: Parse<unknown> = asText): OptionOf<unknown> {
  return (name) => value(placeholder, says, parse)(name).makeOptionMandatory();
}

/** As value, with a default; `shown`: the default as people write it. */
export const valueOr =
  <T>(placeholder: string, says: string, parse: Parse<T>, fallback: T, shown?: string): OptionOf<T> =>
  (name) =>
    value(placeholder, says, parse)(name).default(fallback, shown);

/** Of most commands that concern one account. */
export const ACCOUNT: OptionOf<string | undefined> = value('<id>', 'the account; optional if there is only one');

export function asText(text: string): string {
  return text;
}

interface Options {
  readonly [name: string]: OptionOf<unknown>;
}
/** An argument that is described in the help, and parsed. */
interface ParsedArgument {
  readonly [name: string]: readonly [says: string, parse: (text: string) => unknown];
}

/** What is open when the function of a command runs. */
interface Opens {
  readonly nothing: undefined;
  readonly service: Opened;
  readonly sandbox: OpenedSandbox;
}
export interface OpenedSandbox extends Opened {
  readonly sandbox: Sandbox;
}

/** `G`: the values that the function of the command gets. */
interface CommandRow<G, On extends keyof Opens> {
  /** The command's name below its group, and its arguments: `change <id>`. */
  readonly usage: string;
  readonly summary: string;
  /** Examples as they are typed, after `counterfoil`. */
  readonly examples: readonly string[];
  /** What a user can rely on besides the flags, a sentence each. */
  readonly rules?: readonly string[];
  /** The members of its JSON document. */
  readonly json?: string;
  /** Text at the end of the help. */
  readonly more?: string;
  /** The settings that it takes as flags; without it those of every command on stores. */
  readonly settings?: readonly SettingName[];
  /** False for a command on stores that appends no event itself: it works on a log that has lost its end, too. */
  readonly appends?: false;
  readonly options?: Options;
  readonly argument?: ParsedArgument;
  readonly opens?: On;
  /** Throws WrongUsage for values that make no sense together; called before anything is opened. */
  check?(given: G): void;
}

/** The arguments that a usage names: `'act <what> [payment]'` has `what`, and `payment` perhaps. */
type ArgumentsIn<Usage extends string> = Usage extends `${string}<${infer Name}>${infer Rest}`
  ? { readonly [N in Name]: string } & ArgumentsIn<Rest>
  : Usage extends `${string}[${infer Name}]${string}`
    ? { readonly [N in Name]: string | undefined }
    : unknown;

type GivenOf<Usage extends string, O, A> = CommonOptions &
  Omit<ArgumentsIn<Usage>, keyof A> & {
    readonly [N in keyof A]: A[N] extends readonly [string, (text: string) => infer T] ? T : never;
  } & { readonly [N in keyof O]: O[N] extends OptionOf<infer T> ? T : never };

type None = Readonly<Record<never, never>>;

/** A row of the table. `check`: as of CommandRow. */
export const command = <
  const Usage extends string,
  O extends Options = None,
  A extends ParsedArgument = None,
  On extends keyof Opens = 'nothing',
>(
  row: Omit<CommandRow<never, On>, 'check'> & {
    readonly usage: Usage;
    readonly options?: O;
    readonly argument?: A;
    readonly opens?: On;
  },
  check?: (given: GivenOf<Usage, O, A>) => void,
): CommandRow<GivenOf<Usage, O, A>, On> => (check === undefined ? row : { ...row, check });

/** The values that the function of a row gets. */
export type GivenValues<Row> = Row extends CommandRow<infer G, infer _On> ? G : never;

/** Any row. */
export type AnyRow = CommandRow<CommonOptions, keyof Opens>;
export interface Rows {
  readonly [name: string]: AnyRow;
}

/** The module of a subject: a function for each of its rows. The runner prints what a function answers. */
export type ModuleOf<R extends Rows> = {
  readonly [Name in keyof R]: R[Name] extends CommandRow<infer G, infer On>
    ? (given: G, opened: Opens[On]) => Promise<CommandResult | undefined>
    : never;
};
