// Lines that fit a terminal: how wide it is, and texts that are broken between words.
import stringWidth from 'string-width';

/** Columns of a terminal, at least. */
const LEAST_ROOM = 80;

/**
 * The columns of a line of stdout: those of the variable COLUMNS, otherwise of the terminal. In a pipe a line has no
 * bound, because programs read it as a row.
 */
export function roomHere(): number {
  const asked = Number(process.env['COLUMNS']);
  const columns = asked > 0 ? asked : (process.stdout.columns ?? Number.POSITIVE_INFINITY);
  return Math.max(LEAST_ROOM, columns);
}

/** A line that is typed as it is, so it stays one line. */
const COMMAND = /^ *(?:\$ )?(?:npx )?counterfoil/;

/** The text without a line that the terminal would break within a word; the rest of a line is indented like it. */
export const wrapped = (text: string, room: number): string =>
  text
    .split('\n')
    .flatMap((line) => (COMMAND.test(line) ? [line] : wrappedLine(line, room)))
    .join('\n');

function wrappedLine(line: string, room: number): readonly string[] {
  if (stringWidth(line) <= room) return [line];
  const text = line.trimStart();
  const indent = line.slice(0, line.length - text.length);
  return broken(text, room - indent.length).map((part) => indent + part);
}

/** Lines of at most `room` columns, one at least; a word is broken only where it is longer than a line. */
export function broken(text: string, room: number): readonly string[] {
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

/** The text in at most so many columns: where it is longer, an ellipsis is in place of its end, or of its start. */
export function cutTo(text: string, columns: number, keeps: 'start' | 'end' = 'start'): string {
  if (stringWidth(text) <= columns) return text;
  const turned = (its: string): string => (keeps === 'start' ? its : [...its].reverse().join(''));
  const [first = ''] = cutWord(turned(text), Math.max(1, columns - 1));
  return keeps === 'start' ? `${first.trimEnd()}…` : `…${turned(first).trimStart()}`;
}
