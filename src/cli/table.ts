// Rows of text as an aligned table that fits a terminal; where its columns do not fit beside each other, ids are
// shortened, and otherwise each row is stacked. In a pipe each row is a line.
import stringWidth from 'string-width';
import { asTyped } from './as-typed.ts';
import { broken, cutTo, roomHere } from './lines.ts';
import { inColour, oneLine } from './output.ts';

const GAP = '  ';
/** In front of the second and later lines of a row. */
const INDENT = '  ';

/** A column that a narrow terminal leaves out, the last one first, where each row has a line of its own then. */
interface Spare {
  readonly spare: string;
}
/** A column whose texts a narrow terminal cuts, at the other end, where each row has a line of its own then. */
interface Cut {
  readonly cut: string;
  readonly keeps: 'start' | 'end';
  /** The least columns; without it LEAST_CUT. */
  readonly least?: number;
}
type Heading = string | Spare | Cut;

interface DrawnTable {
  readonly headings: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Whether and how each column may be cut. */
  readonly cuts: readonly (Cut | undefined)[];
}

/**
 * `headings` are printed in capitals; no line is longer than `room` and none ends with spaces. On a terminal that has
 * no room for a row on one line, ids are shortened, empty and spare columns are left out, and texts are cut, if that
 * makes room. Otherwise columns that do not fit are on a line of their own below, headings too, and so is a cell of the
 * last column that has no room beside the others. A text longer than a line is broken, at spaces where there are any.
 */
export function table(
  headings: readonly Heading[],
  rows: readonly (readonly string[])[],
  room = roomHere(),
  isTerminal = process.stdout.isTTY === true,
): string {
  const whole = {
    headings: headings.map(nameOf),
    rows: rows.map((row) => row.map((cell) => asTyped(oneLine(cell)))),
    cuts: headings.map((heading) => (isCut(heading) ? heading : undefined)),
  };
  return drawn(isTerminal ? narrowed(whole, headings, room) : whole, room);
}

const isSpare = (heading: Heading): heading is Spare => typeof heading !== 'string' && 'spare' in heading;

const isCut = (heading: Heading): heading is Cut => typeof heading !== 'string' && 'cut' in heading;

const nameOf = (heading: Heading): string =>
  isSpare(heading) ? heading.spare : isCut(heading) ? heading.cut : heading;

/** The table with a line for each row; the whole table where that is not possible, or not needed. */
function narrowed(whole: DrawnTable, headings: readonly Heading[], room: number): DrawnTable {
  if (isOneLine(whole, room)) return whole;
  const { rows } = whole;
  const short = { ...whole, rows: withShortIds(rows) };
  const isEmpty = (column: number): boolean => rows.every((row) => (row[column] ?? '') === '');
  const empty = headings.flatMap((_, column) => (column > 0 && isEmpty(column) ? [column] : []));
  const spares = headings.flatMap((heading, column) => (isSpare(heading) ? [column] : []));
  const fewer = spares
    .map((_, left) => without(short, [...empty, ...spares.slice(spares.length - left)]))
    .concat(without(short, [...empty, ...spares]));
  const cut = cutToRoom(without(short, [...empty, ...spares]), room);
  return [...fewer, cut].find((one) => isOneLine(one, room)) ?? whole;
}

function without({ headings, rows, cuts }: DrawnTable, columns: readonly number[]): DrawnTable {
  const isShown = (_: unknown, column: number): boolean => !columns.includes(column);
  return {
    headings: headings.filter(isShown),
    rows: rows.map((row) => row.filter(isShown)),
    cuts: cuts.filter(isShown),
  };
}

/** A cell of the last column that is longer goes on below its row; a shorter one makes no second line. */
const LONGEST_WORD = 30;

/**
 * The widths of the columns next to each other. A long text in the last one may go on below, unless it may be cut; an
 * id may not.
 */
function lineWidths({ headings, rows, cuts }: DrawnTable): readonly number[] {
  const last = headings.length - 1;
  const cells = rows
    .map((row) => row[last] ?? '')
    .filter((cell) => cuts[last] !== undefined || IDS.test(cell) || cell.length <= LONGEST_WORD);
  return widthsOf({ headings, rows }).with(
    last,
    Math.max(...[headings[last] ?? '', ...cells].map((cell) => stringWidth(cell))),
  );
}

const lengthOf = (widths: readonly number[]): number =>
  widths.reduce((sum, width) => sum + width, (widths.length - 1) * GAP.length);

/** True if the columns fit next to each other. */
const isOneLine = (of: DrawnTable, room: number): boolean => lengthOf(lineWidths(of)) <= room;

/** The least columns of a text that is cut, if its heading is no longer. */
const LEAST_CUT = 8;

/** The widest of the columns that may be cut are cut, as far as they have to be. */
function cutToRoom(of: DrawnTable, room: number): DrawnTable {
  const widths = [...lineWidths(of)];
  const least = of.headings.map((heading, column) => Math.max(of.cuts[column]?.least ?? LEAST_CUT, heading.length));
  for (let over = lengthOf(widths) - room; over > 0; over -= 1) {
    const [widest] = widths
      .map((width, column) => ({ width, column }))
      .filter(({ width, column }) => of.cuts[column] !== undefined && width > (least[column] ?? 0))
      .sort((one, other) => other.width - one.width);
    if (widest === undefined) break;
    widths[widest.column] = widest.width - 1;
  }
  const shown = (cell: string, column: number): string => {
    const how = of.cuts[column];
    return how === undefined ? cell : cutTo(cell, widths[column] ?? 0, how.keeps);
  };
  return { ...of, rows: of.rows.map((row) => row.map(shown)) };
}

function drawn({ headings, rows }: Pick<DrawnTable, 'headings' | 'rows'>, room: number): string {
  const widths = widthsOf({ headings, rows });
  const stacked = stacks(widths, room);
  const states = headings.map((heading) => STATES.has(heading));
  const linesOf = (line: readonly string[], ofState: readonly boolean[]): readonly string[] =>
    stacked.flatMap((columns, place) => rowLines(line, columns, widths, place === 0 ? '' : INDENT, room, ofState));
  return [
    ...linesOf(
      headings.map((heading) => heading.toUpperCase()),
      [],
    ),
    ...rows.flatMap((row) => linesOf(row, states)),
  ].join('\n');
}

/** The columns and members whose words have a colour on a terminal. */
const STATES: ReadonlySet<string> = new Set(['state', 'status']);

/** The width of each column. The last column is as wide as its heading. */
function widthsOf({ headings, rows }: Pick<DrawnTable, 'headings' | 'rows'>): number[] {
  return headings.map((heading, column) =>
    column === headings.length - 1
      ? stringWidth(heading)
      : rows.reduce((most, row) => Math.max(most, stringWidth(row[column] ?? '')), stringWidth(heading)),
  );
}

/** A table of a list of `things`, or a line that there are none. */
export const listing = (
  things: string,
  headings: readonly Heading[],
  rows: readonly (readonly string[])[],
  room?: number,
): string => (rows.length === 0 ? none(things) : table(headings, rows, room));

/** Every command says so in these words. */
export const none = (things: string): string => `No ${things}.`;

/** A text in lines of at most `room` columns. */
export const paragraph = (text: string, room = roomHere()): string => broken(asTyped(oneLine(text)), room).join('\n');

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
  states: readonly boolean[],
): readonly string[] {
  const cells = columns.map((column) => padded(line[column] ?? '', widths[column] ?? 0));
  const shown = cells.map((cell, place) => (states[columns[place] ?? -1] === true ? inColour(cell) : cell));
  const whole = `${indent}${cells.join(GAP)}`.trimEnd();
  if (whole === '' && indent !== '') return [];
  if (stringWidth(whole) <= room) return [`${indent}${shown.join(GAP)}`.trimEnd()];
  const beside = `${indent}${shown.slice(0, -1).join(GAP)}`.trimEnd();
  const below = broken((cells.at(-1) ?? '').trimEnd(), room - INDENT.length).map(
    (part) => `${cells.length === 1 ? indent : INDENT}${part}`,
  );
  return beside === '' ? below : [beside, ...below];
}

const padded = (cell: string, width: number): string => cell + ' '.repeat(Math.max(0, width - stringWidth(cell)));

/**
 * Names and values below each other, the values aligned; a long value continues on the next line, or begins below its
 * name: ids can be copied whole.
 */
export function list(entries: readonly (readonly [name: string, value: string])[], room = roomHere()): string {
  const width = Math.max(...entries.map(([name]) => name.length)) + GAP.length;
  return entries
    .flatMap(([name, value]) => {
      const lines = entryLines(name.padEnd(width), asTyped(oneLine(value)), room);
      const [only, ...more] = lines;
      if (only === undefined || more.length > 0 || !STATES.has(name)) return lines;
      return [`${only.slice(0, width)}${inColour(only.slice(width))}`];
    })
    .join('\n');
}

function entryLines(name: string, value: string, room: number): readonly string[] {
  const isBesideWhole = value.split(' ').every((word) => stringWidth(word) <= room - name.length);
  if (!isBesideWhole) return [name.trimEnd(), ...broken(value, room - INDENT.length).map((part) => INDENT + part)];
  const parts = broken(value, room - name.length);
  return parts.map((part, place) => `${place === 0 ? name : ' '.repeat(name.length)}${part}`.trimEnd());
}

/** Ids that commands take by their beginning (named.ts), several of them joined by dots. */
const IDS = /^(?:(?:acc|con|key|pay|usr|we)_[0-9a-f]{8,32}\.?)+\d*$/;
const ID = /\b(acc|con|key|pay|usr|we)_([0-9a-f]{32})\b/g;
/** An id begins with its time in ms, which has so many digits; ids of one millisecond need more. */
const LEAST_DIGITS = 12;

/** The beginning of an id, which commands take; any other text as it is. */
export const shortId = (id: string): string => shortened(id, LEAST_DIGITS);

const shortened = (text: string, digits: number): string =>
  text.replace(ID, (_, kind: string, rest: string) => `${kind}_${rest.slice(0, digits)}`);

/** Cells that are ids, shortened to as many digits as tell all of them apart. */
function withShortIds(rows: readonly (readonly string[])[]): readonly (readonly string[])[] {
  const ids = new Set(
    rows.flatMap((row) => row.filter((cell) => IDS.test(cell)).flatMap((cell) => cell.match(ID) ?? [])),
  );
  let digits = LEAST_DIGITS;
  while (new Set([...ids].map((id) => shortened(id, digits))).size < ids.size) digits += 1;
  return rows.map((row) => row.map((cell) => (IDS.test(cell) ? shortened(cell, digits) : cell)));
}

/** Without milliseconds, from RFC 3339 with them. */
export const toSecond = (time: string): string => time.replace(/\.\d+Z$/, 'Z');

/** Without seconds, for lists without room for them. */
export const toMinute = (time: string): string => time.replace(/:\d\d(\.\d+)?Z$/, 'Z');
