// Finds sections of pages by words, in any order: most of the words must occur, rare ones count more than common ones
// (BM25), and words in headings count more than words in the text.
import { SMALL, SYNONYMS } from './search-words.ts';

/** What a page is for, which orders results: the reader's path, other guides, reference, the rest. */
export const KINDS = ['path', 'guide', 'reference', 'rest', 'decision'] as const;
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
/** A query of more words is a sentence. */
const SHORT = 3;
/** So many of the best sections are read for a sentence. */
const READ = 40;
const MOST_OF_A_PAGE = 3;
const IN_HEADING = 6;
const OF_PAGE = 3;
const FACTORS: { readonly [kind in Kind]: number } = {
  path: 1.7,
  guide: 1.4,
  reference: 1,
  rest: 0.8,
  decision: 0.8,
};
/** A query asks for decisions by the word, or by a number such as 0105. */
const ASKS_FOR_DECISIONS = /\b(?:decisions?|adrs?)\b|\b0\d{3}\b/i;
const NUMBERED = /\b(decision|adr)[ -]+(\d{1,4})\b/i;

/** Words of a text: `If-Match` is `if`, `match` and `ifmatch`; `clientToken` is `client`, `token` and `clienttoken`. */
function wordsIn(text: string): readonly string[] {
  const words: string[] = [];
  for (const [name] of text.matchAll(NAME)) {
    const parts = name.split(/-|(?<=\p{Ll})(?=\p{Lu})/u);
    words.push(...(parts.length > 1 ? [...parts, parts.join('')] : parts).map((word) => word.toLowerCase()));
  }
  return words;
}

const NAME = /(?<![\p{L}\p{N}])[\p{L}\p{N}]+(?:-[\p{L}\p{N}]+)*/gu;
const stems = new Map<string, string>();

/** A word without the endings of English, so that `payments` and `payment` are one word. */
function stem(word: string): string {
  const known = stems.get(word);
  if (known !== undefined) return known;
  const base = word
    .replace(/ies$/, 'y')
    .replace(/(x|ch|sh|ss)es$/, '$1')
    .replace(/([a-z]{2}[^siu])s$/, '$1')
    .replace(/([a-z]{3})(?:ing|ed)$/, '$1');
  const short = base.length < 4 ? base : base.replace(/e$/, '').replace(/([bdgmnprt])\1$/, '$1');
  stems.set(word, short);
  return short;
}

const large = (words: readonly string[]): readonly string[] => {
  const all = [...new Set(words)];
  const some = all.filter((word) => !SMALL.has(word));
  return some.length === 0 ? all : some;
};

/** The words of a query that are looked for, without those that are on every page. */
export const wordsOf = (query: string): readonly string[] =>
  large([...query.matchAll(NAME)].flatMap(([name]) => name.toLowerCase().split('-')));

interface Section {
  readonly words: readonly string[];
  readonly title: ReadonlySet<string>;
}

/** How often a section has a word, by the section's number. */
type Counts = ReadonlyMap<number, number>;
const NOWHERE: Counts = new Map();

/** Reads all sections once, and answers queries from then on. */
export function openSearch(entries: readonly Entry[]): Search {
  const counts = new Map<string, Map<number, number>>();
  const sections = entries.map(([, page, heading, text], at): Section => {
    const add = (words: readonly string[], weight: number): readonly string[] => {
      for (const word of words) {
        const counted = counts.get(word) ?? new Map<number, number>();
        counts.set(word, counted.set(at, (counted.get(at) ?? 0) + weight));
      }
      return words;
    };
    const titles = [
      ...add(wordsIn(page).map(stem), heading === '' ? IN_HEADING : OF_PAGE),
      ...add(wordsIn(heading).map(stem), IN_HEADING),
    ];
    const words = [...titles, ...add(wordsIn(text).map(stem), 1)];
    return { words, title: new Set(wordsOf(heading === '' ? page : heading).map(stem)) };
  });
  const usual = sections.reduce((sum, { words }) => sum + words.length, 0) / Math.max(1, entries.length);

  /** A word counts as itself, in a short query as its synonyms, and if it is typed or unknown as a beginning. */
  const countsOf = (word: string, isShort: boolean, isTyped: boolean): Counts => {
    const own = counts.get(stem(word)) ?? NOWHERE;
    const begun = (isTyped || own.size === 0) && word.length > 2 ? begunBy(word) : [];
    const others = isShort ? (SYNONYMS.get(word) ?? []).map((phrase) => [together(phrase), 0.8] as const) : [];
    return begun.length + others.length === 0 ? own : merged([[own, 1], ...begun, ...others]);
  };
  const begunBy = (word: string) =>
    [...counts].flatMap(([longer, counted]) =>
      longer.length > word.length && longer.startsWith(word) ? [[counted, 0.5] as const] : [],
    );
  /** The sections that have each word of a phrase. */
  const together = (phrase: string): Counts => {
    const [first = NOWHERE, ...others] = wordsOf(phrase).map((word): Counts => counts.get(stem(word)) ?? NOWHERE);
    return new Map(
      [...first].flatMap(([at, count]) => {
        const all = [count, ...others.map((other) => other.get(at) ?? 0)];
        return all.includes(0) ? [] : [[at, Math.min(...all)] as const];
      }),
    );
  };

  /** A name with hyphens is one word if a page has it. */
  const sought = (query: string): readonly string[] =>
    large(
      [...query.matchAll(NAME)].flatMap(([name]) => {
        const [whole, parts] = [name.toLowerCase().replaceAll('-', ''), name.toLowerCase().split('-')];
        return counts.has(stem(whole)) ? [whole] : parts;
      }),
    );

  /** The share of words that a title and a query have in common: 1 if both have the same words. */
  const likeness = (words: readonly string[], at: number): number => {
    const title = sections[at]?.title ?? new Set();
    const common = words.filter((word) => [...title].some((one) => one.startsWith(stem(word)))).length;
    return common / (words.length + title.size - common);
  };

  return (query) => {
    const words = sought(query.replace(NUMBERED, (_, word, number) => `${word} ${number.padStart(4, '0')}`));
    const isShort = words.length <= SHORT;
    // a sentence is in one place of a long section, a word all over it
    const spread = isShort ? 0.5 : 0.2;
    const decisions = ASKS_FOR_DECISIONS.test(query);
    const scores = new Map<number, { sum: number; words: number; weight: number }>();
    let all = 0;
    words.forEach((word, place) => {
      const having = countsOf(word, isShort, isShort && place === words.length - 1);
      const rarity = Math.log(1 + (entries.length - having.size + 0.5) / (having.size + 0.5));
      all += rarity;
      for (const [at, count] of having) {
        const score = scores.get(at) ?? { sum: 0, words: 0, weight: 0 };
        const room = 1.2 * (1 - spread + (spread * (sections[at]?.words.length ?? 0)) / usual);
        score.sum += (rarity * count * 2.2) / (count + room);
        score.words += 1;
        score.weight += rarity;
        scores.set(at, score);
      }
    });
    const asked: number = isShort ? 2 : 1;
    const found = [...scores].flatMap(([at, { sum, words: matched, weight }]) => {
      const entry = entries[at];
      if (entry === undefined || matched * 2 <= words.length || (entry[4] === 'decision' && !decisions)) return [];
      const [, , , , kind] = entry;
      const factor = FACTORS[kind] ** (isShort ? 1 : 1 / words.length) * (kind === 'decision' ? asked : 1);
      return [{ at, entry, score: sum * (weight / all) ** 4 * factor * (1 + 2 * likeness(words, at)) }];
    });
    const best = byScore(found);
    if (isShort) return shown(best, words);
    const near = best
      .slice(0, READ)
      .map((hit) => ({ ...hit, score: hit.score * nearness(sections[hit.at]?.words ?? [], words) ** 2 }));
    return shown(byScore(near), words);
  };
}

interface Found {
  readonly at: number;
  readonly entry: Entry;
  readonly score: number;
}

const byScore = (found: readonly Found[]): readonly Found[] => found.toSorted((one, other) => other.score - one.score);

function shown(found: readonly Found[], words: readonly string[]): readonly Hit[] {
  const ofPage = new Map<string, number>();
  const kept = found.filter(({ entry: [url] }) => {
    const page = url.split('#', 1)[0] ?? '';
    ofPage.set(page, (ofPage.get(page) ?? 0) + 1);
    return (ofPage.get(page) ?? 0) <= MOST_OF_A_PAGE;
  });
  return kept.slice(0, MOST).map(({ entry }) => ({ entry, excerpt: excerptOf(entry[3], words) }));
}

/** The share of the words of a sentence that a section has in one place of three times its length. */
function nearness(all: readonly string[], words: readonly string[]): number {
  const sought = new Set(words.map(stem));
  const inside = new Map<string, number>();
  let most = 0;
  all.forEach((word, at) => {
    if (sought.has(word)) inside.set(word, (inside.get(word) ?? 0) + 1);
    const left = all[at - 3 * words.length];
    if (left !== undefined && sought.has(left)) {
      if (inside.get(left) === 1) inside.delete(left);
      else inside.set(left, (inside.get(left) ?? 0) - 1);
    }
    most = Math.max(most, inside.size);
  });
  return most / sought.size;
}

/** The largest count of each section. */
function merged(parts: readonly (readonly [counts: Counts, weight: number])[]): Counts {
  const all = new Map<number, number>();
  for (const [counts, weight] of parts)
    for (const [at, count] of counts) all.set(at, Math.max(all.get(at) ?? 0, weight * count));
  return all;
}

const LENGTH = 150;
/** So much of it fits into the line of a result. */
const SEEN = 75;

/** Matches the words of a query in a text, with whatever ends them. */
export const patternOf = (words: readonly string[]): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{N}])(?:${words.map(stem).join('|')})[\\p{L}\\p{N}]*`, 'giu');

function excerptOf(text: string, words: readonly string[]): string {
  const places = [...text.matchAll(patternOf(words))].map(({ index, 0: word }) => ({
    index,
    word: word.toLowerCase(),
  }));
  const differentFrom = (begin: number): number =>
    new Set(places.filter(({ index }) => index >= begin && index < begin + SEEN).map(({ word }) => word)).size;
  const [best = 0] = places
    .map(({ index }) => index)
    .sort((one, other) => differentFrom(other) - differentFrom(one) || one - other);
  const begin = Math.max(0, best - 30);
  const from = begin === 0 ? 0 : text.indexOf(' ', begin) + 1;
  return `${from === 0 ? '' : '… '}${text.slice(from, from + LENGTH)}`;
}
