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

/** Names and values below each other, the values aligned. */
export function list(entries: readonly (readonly [name: string, value: string])[]): string {
  const width = Math.max(...entries.map(([name]) => name.length));
  return entries.map(([name, value]) => `${name.padEnd(width)}  ${oneLine(value)}`.trimEnd()).join('\n');
}

/** Control characters could move the cursor of whoever reads it. */
const oneLine = (cell: string): string => cell.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, '\u{fffd}');
