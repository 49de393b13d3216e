// Reads the snippets of a page: whole new files, and edits of existing files. The resulting tree is laid out as texts.
import type { Page } from './pages.ts';

/** A file's text; undefined if there is none. */
export type ReadFile = (path: string) => string | undefined;

interface Fence {
  readonly language: string;
  readonly lines: readonly string[];
}

/** Their languages need a marker: nothing of them is only shown. */
const HELD: ReadonlySet<string> = new Set(['ts', 'diff']);
const FENCE = /^```(\w*)[^\n]*\n([\s\S]*?)^```$/gm;
const NEW_FILE = /^\/\/ ((?:[\w.-]+\/)*[\w.-]+\.\w+)$/;
const HUNK = /^@@ (\S+) @@$/;

const fencesIn = (text: string): readonly Fence[] =>
  [...text.matchAll(FENCE)].map(([, language = '', body = '']) => ({
    language,
    lines: body.replace(/\n$/, '').split('\n'),
  }));

/**
 * The files that the pages create or change, by path, with their texts: page after page, each snippet in its order.
 * Throws for a snippet without its marker, a new file that already exists, and an edit whose lines occur in its file
 * not at all, or more than once.
 */
export function laid(pages: readonly Page[], read: ReadFile): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  const textOf: ReadFile = (path) => files.get(path) ?? read(path);
  for (const page of pages) {
    for (const fence of fencesIn(page.text)) {
      const [first = '', ...rest] = fence.lines;
      const path = NEW_FILE.exec(first)?.[1];
      if (fence.language === 'diff')
        for (const hunk of hunksIn(page, fence)) files.set(hunk.path, edited(page, hunk, textOf(hunk.path)));
      else if (path !== undefined) {
        if (textOf(path) !== undefined)
          throw new Error(`${page.path}: ${path} is there already; show the edit as a diff`);
        files.set(path, `${rest.join('\n')}\n`);
      } else if (HELD.has(fence.language)) {
        throw new Error(
          `${page.path}: a snippet begins with "${first}", not with its file, as in "// src/domain/a.ts"`,
        );
      }
    }
  }
  return files;
}

interface Hunk {
  readonly path: string;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

function hunksIn(page: Page, { lines }: Fence): readonly Hunk[] {
  const hunks: { readonly path: string; readonly before: string[]; readonly after: string[] }[] = [];
  for (const line of lines) {
    const path = HUNK.exec(line)?.[1];
    if (path !== undefined) hunks.push({ path, before: [], after: [] });
    const hunk = hunks.at(-1);
    if (hunk === undefined)
      throw new Error(`${page.path}: an edit begins with "${line}", not with its file, as in "@@ src/domain/a.ts @@"`);
    if (path !== undefined) continue;
    const [sign = ' ', text] = [line[0], line.slice(1)];
    if (!' +-'.includes(sign)) throw new Error(`${page.path}: "${line}" begins with neither a blank, + nor -`);
    if (sign !== '+') hunk.before.push(text);
    if (sign !== '-') hunk.after.push(text);
  }
  return hunks;
}

function edited(page: Page, { path, before, after }: Hunk, text: string | undefined): string {
  if (text === undefined) throw new Error(`${page.path}: there is no ${path} to edit`);
  const lines = text.split('\n');
  const places = lines.flatMap((_, at) => (before.every((line, index) => lines[at + index] === line) ? [at] : []));
  const [place] = places;
  if (before.length === 0 || place === undefined || places.length > 1)
    throw new Error(
      `${page.path}: these lines stand ${places.length} times in ${path}, not once:\n${before.join('\n')}`,
    );
  return lines.toSpliced(place, before.length, ...after).join('\n');
}
