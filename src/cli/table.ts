// Rows of text as an aligned table that fits a terminal; where its columns do not fit beside each other, each row is
// stacked.
import stringWidth from 'string-width';
import { oneLine } from './visible.ts';

/** Columns of a terminal, at least; other outputs count as a terminal of this width. */
const LEAST_ROOM = 80;
const GAP = '  ';
/** In front of the second and later lines of a row. */
const INDENT = '  ';

const roomOf = ({ columns = LEAST_ROOM }: { readonly columns?: number }): number => Math.max(LEAST_ROOM, columns);

/**
 * `headings` are printed in capitals; no line is longer than `room` and none ends with spaces. Columns that do not fit
 * stand on a line of their own below, headings too, and so does a cell of the last column that has no room beside the
 * others. A text longer than a line is broken, at spaces where there are any.
 */
export function table(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  room = roomOf(process.stdout),
): string {
  const lines = [headings.map((heading) => heading.toUpperCase()), ...rows.map((row) => row.map(oneLine))];
  const widths = headings.map((heading, column) => {
    const isLast = column === headings.length - 1;
    return isLast
      ? stringWidth(heading)
      : lines.reduce((most, line) => Math.max(most, stringWidth(line[column] ?? '')), 0);
  });
  const stacked = stacks(widths, room);
  return lines
    .flatMap((line) =>
      stacked.flatMap((columns, place) => rowLines(line, columns, widths, place === 0 ? '' : INDENT, room)),
    )
    .join('\n');
}

/** A table of a list of `things`, or a line that there are none. */
export const listing = (
  things: string,
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  room?: number,
): string => (rows.length === 0 ? none(things) : table(headings, rows, room));

/** Every command says so in these words. */
export const none = (things: string): string => `No ${things}.`;

/** A text in lines of at most `room` columns. */
export const paragraph = (text: string, room = roomOf(process.stdout)): string =>
  broken(oneLine(text), room).join('\n');

/** The columns that fit next to each other, in their order. */
function stacks(widths: readonly number[], room: number): readonly (readonly number[])[] {
  const stacked: number[][] = [];
  let left = 0;
  for (const [column, width] of widths.entries()) {
    const beside = stacked.at(-1);
    if (beside === undefined || width + GAP.length > left) {
      stacked.push([column]);
      left = room - width - (beside === undefined ? 0 : INDENT.length);
    } else {
      beside.push(column);
      left -= width + GAP.length;
    }
  }
  return stacked;
}

/** None where all cells are empty: a stacked row is no longer than it has to be. */
function rowLines(
  line: readonly string[],
  columns: readonly number[],
  widths: readonly number[],
  indent: string,
  room: number,
): readonly string[] {
  const cells = columns.map((column) => padded(line[column] ?? '', widths[column] ?? 0));
  const whole = `${indent}${cells.join(GAP)}`.trimEnd();
  if (whole === '' && indent !== '') return [];
  if (stringWidth(whole) <= room) return [whole];
  const beside = `${indent}${cells.slice(0, -1).join(GAP)}`.trimEnd();
  const below = broken((cells.at(-1) ?? '').trimEnd(), room - INDENT.length).map(
    (part) => `${cells.length === 1 ? indent : INDENT}${part}`,
  );
  return beside === '' ? below : [beside, ...below];
}

const padded = (cell: string, width: number): string => cell + ' '.repeat(Math.max(0, width - stringWidth(cell)));

/** Lines of at most `room` columns, one at least; a word is broken only where it is longer than a line. */
function broken(text: string, room: number): readonly string[] {
  const lines = [''];
  for (const word of text.split(' ').flatMap((one) => cutWord(one, room))) {
    const line = lines.at(-1) ?? '';
    if (line === '') lines[lines.length - 1] = word;
    else if (stringWidth(line) + 1 + stringWidth(word) > room) lines.push(word);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return lines;
}

function cutWord(word: string, room: number): readonly string[] {
  if (stringWidth(word) <= room) return [word];
  const parts = [''];
  for (const character of word) {
    const part = parts.at(-1) ?? '';
    if (stringWidth(part + character) > room) parts.push(character);
    else parts[parts.length - 1] = part + character;
  }
  return parts;
}

/**
 * Names and values below each other, the values aligned; a long value continues on the next line, or begins below its
 * name: ids can be copied whole.
 */
export function list(
  entries: readonly (readonly [name: string, value: string])[],
  room = roomOf(process.stdout),
): string {
  const width = Math.max(...entries.map(([name]) => name.length)) + GAP.length;
  return entries.flatMap(([name, value]) => entryLines(name.padEnd(width), oneLine(value), room)).join('\n');
}

function entryLines(name: string, value: string, room: number): readonly string[] {
  const isBesideWhole = value.split(' ').every((word) => stringWidth(word) <= room - name.length);
  if (!isBesideWhole) return [name.trimEnd(), ...broken(value, room - INDENT.length).map((part) => INDENT + part)];
  const parts = broken(value, room - name.length);
  return parts.map((part, place) => `${place === 0 ? name : ' '.repeat(name.length)}${part}`.trimEnd());
}

const LONGEST_ID = 20;

/** The two ends of an id, for places where it only has to be recognised; `show` and --json have the whole. */
export const shortId = (id: string): string =>
  id.length <= LONGEST_ID ? id : `${id.slice(0, LONGEST_ID - 5)}…${id.slice(-4)}`;

/** Without milliseconds, from RFC 3339 with them. */
export const toSecond = (time: string): string => time.replace(/\.\d+Z$/, 'Z');

/** Without seconds, for lists without room for them. */
export const toMinute = (time: string): string => time.replace(/:\d\d(\.\d+)?Z$/, 'Z');
