// Finds sections of pages by words, in any order: sections with every word, or otherwise with more than half of them.
// Rare words count more than common ones (BM25+), and words in headings count more than words in the text.
import MiniSearch from 'minisearch';
import { SMALL, withSynonyms } from './search-words.ts';

/** What a page is for, which orders results: the reader's path, other guides, reference, the rest; an operation. */
export const KINDS = ['path', 'guide', 'reference', 'rest', 'decision', 'operation'] as const;
export type Kind = (typeof KINDS)[number];

/** A section of a page. The heading is '' for the beginning of the page. */
export type Entry = readonly [url: string, page: string, heading: string, text: string, kind: Kind];

export interface Hit {
  readonly entry: Entry;
  /** The part of the text that has most of the words. */
  readonly excerpt: string;
}

/** The sections that match a query, best first; empty for a query without a word. */
export type Search = (query: string) => readonly Hit[];

const MOST = 12;
const MOST_OF_A_PAGE = 3;
/** A query of more words is a sentence, whose words are near each other. */
const SHORT = 3;
/** The number of the best sections whose text is read. */
const READ = 40;
const BOOST = { heading: 4, page: 2 };
const FACTORS: { readonly [kind in Kind]: number } = {
  ...{ path: 1.3, guide: 1.2, reference: 1, rest: 0.9, decision: 1.5 },
  // Few words in a short text weigh much, and a guide explains more.
  operation: 0.8,
};
/** Where the API reference is open, its operations come first. */
const OPERATIONS_FIRST = 4;
/** A query asks for decisions by the word, or by a number such as 0105. */
const ASKS_FOR_DECISIONS = /\b(?:decisions?|adrs?)\b|\b0\d{3}\b/i;

/** Words of a text: `If-Match` is `If`, `Match` and `IfMatch`; `clientToken` is `client`, `Token` and `clientToken`. */
const tokenize = (text: string): string[] =>
  [...text.matchAll(/(?<![\p{L}\p{N}])[\p{L}\p{N}]+(?:-[\p{L}\p{N}]+)*/gu)].flatMap(([name]) => {
    const parts = name.split(/-|(?<=\p{Ll})(?=\p{Lu})/u);
    return parts.length > 1 ? [...parts, parts.join('')] : parts;
  });

/** A word without the endings of English, so that `payments` and `payment` are one word, and a number without zeros. */
const stem = (word: string): string =>
  word
    .toLowerCase()
    .replace(/^0+(?=\d)|(?<=..)(?:(?<=ss|sh|ch|x)e|(?<![siu]))s$/, '')
    .replace(/(?<=...)(?:ing|ied|ed|ie|y|e)$/, '')
    .replace(/(?<=..)([bdgmnprt])\1$/, '$1');

/** The words of a query that are looked for, without those that are on every page. */
export function wordsOf(query: string): string[] {
  const all = [...new Set(query.toLowerCase().match(/[\p{L}\p{N}]+/gu))];
  const large = all.filter((word) => !SMALL.has(word));
  return large.length === 0 ? all : large;
}

/** Reads all sections once, and answers queries from then on. */
export function openSearch(entries: readonly Entry[], { isReference = false } = {}): Search {
  const factors = isReference ? { ...FACTORS, operation: OPERATIONS_FIRST } : FACTORS;
  const index = new MiniSearch({ fields: ['page', 'heading', 'text'], tokenize, processTerm: stem });
  index.addAll(
    entries.map((entry) => {
      const [page, heading, text] = [entry[1], entry[2] || entry[1], entry[3]].map(withSynonyms);
      return { id: entry, page, heading, text };
    }),
  );
  return (query) => {
    const words = wordsOf(query);
    const decisions = ASKS_FOR_DECISIONS.test(query);
    const find = (combineWith: 'AND' | 'OR', text: string) =>
      index.search(text, {
        combineWith,
        tokenize: wordsOf,
        prefix: (word, place, { length }) => place === length - 1 && word.length > 2,
        boost: BOOST,
        boostDocument: ([, , , , kind]: Entry) => factors[kind],
        filter: ({ id, queryTerms }) =>
          (combineWith === 'AND' || queryTerms.length * 2 > words.length) && (decisions || id[4] !== 'decision'),
      });
    const all = find('AND', query.replaceAll('-', ''));
    const found = all.length > 0 ? all : find('OR', query);
    const isShort = words.length <= SHORT;
    const hits = found.slice(0, READ).map(({ id: entry, score }: { id: Entry; score: number }) => {
      const [place, count] = bestPlace(entry[3], words, isShort ? SEEN : 1.5 * query.length);
      return { entry, excerpt: excerptAt(entry[3], place), score: isShort ? score : score * count ** 3 };
    });
    const ofPage = new Map<string, number>();
    const isShown = ({ entry: [url, , , , kind] }: Hit): boolean => {
      const page = kind === 'operation' ? url : url.replace(/#.*/, '');
      const place = (ofPage.get(page) ?? 0) + 1;
      ofPage.set(page, place);
      return place <= MOST_OF_A_PAGE;
    };
    const ranked = hits.toSorted((one, other) => other.score - one.score);
    return ranked.filter(isShown).slice(0, MOST);
  };
}

const LENGTH = 150;
/** So much of it fits into the line of a result. */
const SEEN = 75;

/** Matches the words of a query in a text, with whatever ends them. */
export const patternOf = (words: readonly string[]): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{N}])(?:${words.map(stem).join('|')})[\\p{L}\\p{N}]*`, 'giu');

/** The place of a text from which so many characters have most of the words, and how many they have. */
function bestPlace(text: string, words: readonly string[], length: number): readonly [place: number, count: number] {
  const pattern = patternOf(words);
  const places = [...text.matchAll(pattern)].map(({ index }) => {
    const part = text.slice(index, index + length).toLowerCase();
    return [index, new Set(part.match(pattern)).size] as const;
  });
  return places.reduce((best, place) => (place[1] > best[1] ? place : best), [0, 0] as const);
}

function excerptAt(text: string, place: number): string {
  const from = place <= 30 ? 0 : text.indexOf(' ', place - 30) + 1;
  return `${from === 0 ? '' : '… '}${text.slice(from, from + LENGTH)}`;
}
