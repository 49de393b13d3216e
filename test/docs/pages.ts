// The repository as its documents speak of it: which files there are, and what the headings of a page are.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/root.ts';

export interface Page {
  /** From the repository's root, with slashes. */
  readonly path: string;
  readonly text: string;
}

/** Not the repository's own, or made by running it. */
const OTHERS: ReadonlySet<string> = new Set(['dist', 'data', '.git']);

function* walk(folder: string): Generator<string> {
  for (const entry of readdirSync(join(ROOT, folder), { withFileTypes: true })) {
    if (entry.name === 'node_modules' || (folder === '' && OTHERS.has(entry.name))) continue;
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    yield path;
    if (entry.isDirectory()) yield* walk(path);
  }
}

/** Every file and folder of the repository, without a slash at its end. */
export const allPaths = (): readonly string[] => [...walk('')];

export const readPage = (path: string): Page => ({ path, text: readFileSync(join(ROOT, path), 'utf8') });

/** The text without what stands between fences. */
export const withoutFences = (text: string): string => text.replaceAll(/^(```+)[^\n]*\n[\s\S]*?^\1$/gm, '');

/** The mark of an agreed feature that no code implements today. */
export const MARK = '**(not there yet)**';

/** The text without rows that have the mark, and without tables whose heading has it. */
export const withoutMarked = (text: string): string =>
  text
    .replaceAll(/(?:^\|.*\n)+/gm, (table) => (table.split('\n', 1)[0]?.includes(MARK) ? '' : table))
    .replaceAll(/^\|.*\n/gm, (row) => (row.includes(MARK) ? '' : row));

/** The headings of a page in Markdown, without their marks, in order. */
export const headingsOf = (text: string): readonly string[] =>
  [...withoutFences(text).matchAll(/^#{1,6} +(.+?) *$/gm)].map(([, heading = '']) => heading);

/** The anchor of a heading, as GitHub makes it. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

/** The text under the second-level heading; '' if there is none. */
export const sectionOf = (text: string, heading: string): string =>
  text.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';

/** The cells of every row of the tables in a text, headings and rules left out. */
export function rowsOf(text: string): readonly (readonly string[])[] {
  const lines = text.split('\n');
  return lines.flatMap((line, index) => {
    const isRow = line.startsWith('| ') && !(lines[index + 1] ?? '').startsWith('|---');
    return isRow ? [cellsOf(line)] : [];
  });
}

const cellsOf = (row: string): readonly string[] =>
  row
    .replace(/^\| */, '')
    .replace(/ *\|$/, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim());

/** The texts between backticks, with `\|` of a table read as `|`. */
export const codeIn = (text: string): readonly string[] =>
  [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code.replaceAll('\\|', '|'));
