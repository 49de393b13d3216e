// The output of a command: its result on stdout, as text or as one JSON document; everything else on stderr. Nothing
// else writes there but the log and the bar of long work. Characters that would play tricks with a terminal are escaped
// here.
import { styleText } from 'node:util';
import type { OutputConfiguration } from 'commander';
import { liveWorld, within } from '../world.ts';
import { asTyped } from './as-typed.ts';
import { roomHere, wrapped } from './lines.ts';

/** The result of a command: `json` for `--json`, `text` for people. */
export interface CommandResult {
  readonly json: unknown;
  readonly text: string;
  /** For people, on stderr after it. */
  readonly notes?: readonly string[];
  /** On stderr after it, with --json too. */
  readonly warnings?: readonly string[];
  /** A check found something: the exit code is 1. */
  readonly isRefused?: boolean;
}

let documents = 0;
/** How many documents of JSON this process has begun to print. */
export const documentsBegun = (): number => documents;

/** Prints a result; `--json` prints one document and nothing else. */
export function print(
  { json, text }: Pick<CommandResult, 'json' | 'text'>,
  options: { readonly json?: boolean },
): void {
  if (options.json !== true) {
    process.stdout.write(`${forReaders(text)}\n`);
    return;
  }
  documents += 1;
  process.stdout.write(`${visibleJson(JSON.stringify(json, null, 2))}\n`);
}

/** A part of a long result; resolves when the reader can take more. */
export const write = (text: string): Promise<void> => untilRoom(forReaders(text));

/** On a terminal no word of a sentence is cut; lines of a table fit already. */
function forReaders(text: string): string {
  const shown = coloured(asTyped(visible(text)));
  return process.stdout.isTTY === true ? wrapped(shown, roomHere()) : shown;
}

/** Writes with colours: the caller makes its texts visible, and adds styles to them. */
export const writeStyled = (text: string): Promise<void> => untilRoom(text);

/** Writes a JSON document, or lines of JSON. */
export function writeJson(text: string): Promise<void> {
  documents += 1;
  return untilRoom(visibleJson(text));
}

async function untilRoom(text: string): Promise<void> {
  if (text === '' || process.stdout.write(text)) return;
  await new Promise((drained) => process.stdout.once('drain', drained));
}

/** Progress, warnings, errors. */
export function tell(message: string): void {
  process.stderr.write(`${told(message)}\n`);
}

/** Columns of a terminal that does not say how many it has. */
const USUAL_COLUMNS = 80;

/** On a terminal no word is cut. */
function told(message: string): string {
  const shown = asTyped(visible(message));
  const { isTTY, columns } = process.stderr;
  return isTTY === true ? wrapped(shown, columns > 0 ? columns : USUAL_COLUMNS) : shown;
}

/** Help, and commander's messages about unknown options. */
export const commanderOutput: OutputConfiguration = {
  writeOut: (text) => void process.stdout.write(asTyped(visible(text))),
  writeErr: (text) => void process.stderr.write(told(text)),
};

/**
 * A reader that has seen enough (`| head`) closes the pipe, which is not a failure. A result that cannot be written is
 * one. A message that cannot be written to stderr ends nothing.
 */
export function onBrokenOutput(): void {
  process.stderr.on('error', () => undefined);
  process.stdout.on('error', (fault: NodeJS.ErrnoException) => {
    if (fault.code === 'EPIPE') process.exit(0);
    tell(`The result could not be written: ${fault.message}`);
    process.exit(1);
  });
}

/** The longest wait at the end of a process for the reader of its stderr. */
const TOLD_WITHIN_MS = 1_000;

/** Resolves when stdout has been taken, for as long as its reader needs, and stderr within a second. */
export async function untilTaken(): Promise<void> {
  await taken(process.stdout);
  await within(liveWorld, TOLD_WITHIN_MS, () => taken(process.stderr));
}

const taken = (stream: NodeJS.WriteStream): Promise<void> =>
  new Promise((resolve) => stream.write('', () => resolve()));

const WIDTH = 80;

/**
 * Like JSON.stringify with two spaces, but objects and lists that fit after `column`, where the first line begins, are
 * one line.
 */
export function compactJson(value: unknown, indent = 0, column = indent): string {
  const line = jsonLine(value);
  if (typeof value !== 'object' || value === null || column + line.length <= WIDTH) return line;
  const inner = ' '.repeat(indent + 2);
  const member = (name: string, its: unknown): string =>
    `${inner}${name}${compactJson(its, indent + 2, inner.length + name.length)}`;
  const parts = Array.isArray(value)
    ? value.map((item) => member('', item))
    : Object.entries(value).map(([name, its]) => member(`${JSON.stringify(name)}: `, its));
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  return `${open}\n${parts.join(',\n')}\n${' '.repeat(indent)}${close}`;
}

/** On one line, with spaces. */
export function jsonLine(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(jsonLine).join(', ')}]`;
  const members = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${jsonLine(member)}`);
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

/**
 * Control characters, format characters (direction marks among them), half surrogates, other line ends, and characters
 * without width. Noncharacters only within a line: they mark the colours of a table.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}]/gu;
const UNSEEN_BUT_LINE_ENDS = /[^\P{Cc}\n]|[\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

const escaped = (character: string): string => {
  const code = character.codePointAt(0) ?? 0;
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`;
};

/** Several lines; all text for stdout or stderr as text passes here. */
export const visible = (text: string): string => text.replace(UNSEEN_BUT_LINE_ENDS, escaped);

/**
 * Makes a text visible within one line: line ends are escaped as well, those of Windows and Unix in their usual form.
 */
export const oneLine = (text: string): string =>
  text.replace(UNSEEN, (character) => (character === '\n' ? '\\n' : character === '\r' ? '\\r' : escaped(character)));

/** JSON text, whose strings are escaped in JSON's own way, so that it says the same; line ends between members stay. */
export const visibleJson = (text: string): string =>
  text.replace(UNSEEN_BUT_LINE_ENDS, (character) =>
    [...Array(character.length).keys()]
      .map((place) => `\\u${character.charCodeAt(place).toString(16).padStart(4, '0')}`)
      .join(''),
  );

/** Any value, every text in it made visible, names of members included; stacks of faults keep their lines. */
export function visibleDeep(value: unknown, name = ''): unknown {
  if (typeof value === 'string') return name === 'stack' ? visible(value) : oneLine(value);
  if (Array.isArray(value)) return value.map((item) => visibleDeep(item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([member, its]) => [oneLine(member), visibleDeep(its, member)]));
}

type Colour = 'green' | 'yellow' | 'red' | 'gray';

const WORDS: { readonly [C in Colour]: readonly string[] } = {
  green: ['active', 'on', 'ok', 'live', 'enabled', 'delivered', 'AUTHORIZED', 'PARTIALLY_SETTLED', 'SETTLED'],
  yellow: ['PENDING', 'pending', 'waiting', 'retrying', 'invited', 'unknown', 'rebuilding', 'building'],
  red: [
    'failing',
    'FAILED',
    'DECLINED',
    'OVER_REFUNDED',
    'DIFFERS',
    'failed',
    'broken',
    'parked',
    'gone',
    'unavailable',
  ],
  gray: ['CANCELLED', 'expired', 'revoked', 'disabled', 'used up', 'ended'],
};
const COLOURS: ReadonlyMap<string, Colour> = new Map(
  (['green', 'yellow', 'red', 'gray'] as const).flatMap((colour) =>
    WORDS[colour].map((word) => [word, colour] as const),
  ),
);

/**
 * Noncharacters, one for each colour and one for its end: texts of others have none when they are printed, because
 * `oneLine` escapes them.
 */
const MARKS: { readonly [C in Colour]: string } = { green: '\ufdd1', yellow: '\ufdd2', red: '\ufdd3', gray: '\ufdd4' };
const END = '\ufdd0';
const MARKED = /([\ufdd1-\ufdd4])([^\ufdd0]*)\ufdd0/g;

/** The words of a padded cell in their colour, if they are a state that has one. */
export function inColour(cell: string): string {
  const word = cell.trimEnd();
  const colour = COLOURS.get(word);
  return colour === undefined ? cell : `${MARKS[colour]}${word}${END}${cell.slice(word.length)}`;
}

/**
 * The text with its colours where stdout is a terminal that takes them, or FORCE_COLOR asks for them; without them
 * otherwise, and with NO_COLOR.
 */
export const coloured = (text: string): string =>
  text.replace(MARKED, (_, mark: string, word: string) => {
    const colour = (['green', 'yellow', 'red', 'gray'] as const).find((one) => MARKS[one] === mark);
    return colour === undefined ? word : styleText(colour, word);
  });
