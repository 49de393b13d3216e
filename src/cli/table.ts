// Rows of text as an aligned table.

/** Two spaces between columns, no trailing spaces; `headings` are printed in capitals. No rows: the headings alone. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [headings.map((heading) => heading.toUpperCase()), ...rows.map((row) => row.map(oneLine))];
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** What a wrapped table takes of a terminal, in characters, as long as its last column has the least. */
const WIDTH = 120;
const LEAST = 20;

/** The same, with what does not fit into the last column going on below, broken at spaces. */
export function wrappedTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const last = headings.length - 1;
  const widths = headings.slice(0, last).map((heading, column) => Math.max(heading.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const room = WIDTH - widths.reduce((sum, width) => sum + width + 2, 0);
  const wrapped = rows.flatMap((row) => {
    const [first = '', ...more] = broken(oneLine(row[last] ?? ''), Math.max(room, LEAST));
    return [[...row.slice(0, last), first], ...more.map((line) => [...widths.map(() => ''), line])];
  });
  return table(headings, wrapped);
}

/** A word that is longer than the room stays whole: ids are copied. */
function broken(text: string, room: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line === undefined || line.length + 1 + word.length > room) lines.push(word);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return lines;
}

/** Names and values below each other, the values aligned. */
export function list(entries: readonly (readonly [name: string, value: string])[]): string {
  const width = Math.max(...entries.map(([name]) => name.length));
  return entries.map(([name, value]) => `${name.padEnd(width)}  ${oneLine(value)}`.trimEnd()).join('\n');
}

/** Control characters could move the cursor of whoever reads it. */
export const oneLine = (cell: string): string => cell.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, '\u{fffd}');
