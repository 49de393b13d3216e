// The language of the checkout: its words, and the locale of its amounts.
import { de } from './de.ts';
import { en } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';
import { it } from './it.ts';
import type { Words } from './words.ts';

const LANGUAGES: { readonly [language: string]: Words } = { en, de, fr, es, it };
const FALLBACK = 'en';

export interface Language {
  readonly words: Words;
  /** For Intl: with the region that was asked for, so that a Swiss shopper reads Swiss amounts. */
  readonly locale: string;
  /** The language of the words, for `lang`. */
  readonly lang: string;
}

/** The language of a BCP 47 tag, or English if the tag is invalid or its language is not available. */
export function languageOf(tag: unknown): Language {
  try {
    const { language = FALLBACK, baseName } = new Intl.Locale(String(tag).replaceAll('_', '-'));
    const words = Object.hasOwn(LANGUAGES, language) ? LANGUAGES[language] : undefined;
    if (words !== undefined) return { words, locale: baseName, lang: language };
  } catch {
    // Not a tag.
  }
  return { words: en, locale: FALLBACK, lang: FALLBACK };
}
