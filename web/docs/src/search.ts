// Finds pages and headings by words. Every word must occur, and a word in a heading counts more than one in the text.

/** An entry of the index. The heading is '' for the beginning of a page. */
export type Entry = readonly [url: string, page: string, heading: string, text: string];

export interface Hit {
  readonly entry: Entry;
  /** Some of the text around the first word that was found in it. */
  readonly excerpt: string;
}

const MOST = 12;
const BEFORE = 48;
const LENGTH = 150;

/** Words that occur on every page, and count only if nothing else was typed. */
const SMALL: ReadonlySet<string> = new Set([
  'a',
  'an',
  'and',
  'are',
  'do',
  'does',
  'for',
  'how',
  'i',
  'in',
  'is',
  'it',
  'of',
  'on',
  'or',
  'the',
  'to',
  'what',
]);

export function wordsOf(query: string): readonly string[] {
  const words = query
    .toLowerCase()
    .split(/[^\p{L}\p{N}_-]+/u)
    .filter((word) => word !== '');
  const large = words.filter((word) => !SMALL.has(word));
  return large.length === 0 ? words : large;
}

/** The matching entries, best first; empty for a query without a word. */
export function search(entries: readonly Entry[], query: string): readonly Hit[] {
  const words = wordsOf(query);
  if (words.length === 0) return [];
  const found = entries.flatMap((entry) => {
    const scores = words.map((word) => scoreOf(entry, word));
    return scores.includes(0) ? [] : [{ entry, score: scores.reduce((sum, score) => sum + score, 0) }];
  });
  return found
    .sort((one, other) => other.score - one.score)
    .slice(0, MOST)
    .map(({ entry }) => ({ entry, excerpt: excerptOf(entry[3], words) }));
}

function scoreOf([url, page, heading, text]: Entry, word: string): number {
  const isDecision = url.startsWith('/docs/decisions/');
  const inTitle = heading === '' ? 12 * matchOf(page, word) : 2 * matchOf(page, word) + 9 * matchOf(heading, word);
  return (inTitle + matchOf(text, word)) * (isDecision ? 0.4 : 1);
}

/** 2 at the beginning of a word, 1 inside a word, 0 if absent. */
function matchOf(text: string, word: string): number {
  const lower = text.toLowerCase();
  const at = lower.indexOf(word);
  if (at === -1) return 0;
  return new RegExp(`(?<![\\p{L}\\p{N}])${escaped(word)}`, 'u').test(lower) ? 2 : 1;
}

const escaped = (word: string): string => word.replaceAll(/[.*+?^${}()|[\]\\-]/g, '\\$&').replaceAll('\\-', '-');

function excerptOf(text: string, words: readonly string[]): string {
  const lower = text.toLowerCase();
  const places = words.map((word) => lower.indexOf(word)).filter((place) => place >= 0);
  const begin = Math.max(0, Math.min(...(places.length === 0 ? [0] : places)) - BEFORE);
  const from = begin === 0 ? 0 : text.indexOf(' ', begin) + 1;
  return `${from === 0 ? '' : '… '}${text.slice(from, from + LENGTH)}`;
}
