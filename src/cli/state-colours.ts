// The colours of states on a terminal: green is done or in use, yellow is open, red needs somebody, grey is over.
import { styleText } from 'node:util';

type Colour = 'green' | 'yellow' | 'red' | 'gray';

const WORDS: { readonly [C in Colour]: readonly string[] } = {
  green: ['active', 'on', 'ok', 'live', 'enabled', 'delivered', 'AUTHORIZED', 'PARTIALLY_SETTLED', 'SETTLED'],
  yellow: ['PENDING', 'pending', 'waiting', 'retrying', 'invited', 'unknown', 'rebuilding', 'building'],
  red: ['FAILED', 'DECLINED', 'OVER_REFUNDED', 'DIFFERS', 'failed', 'broken', 'parked', 'gone', 'unavailable'],
  gray: ['CANCELLED', 'expired', 'revoked', 'disabled', 'used up', 'ended'],
};
const COLOURS: ReadonlyMap<string, Colour> = new Map(
  (['green', 'yellow', 'red', 'gray'] as const).flatMap((colour) =>
    WORDS[colour].map((word) => [word, colour] as const),
  ),
);

/**
 * Noncharacters, one for each colour and one for its end: texts of others have none when they are printed, because
 * `oneLine` escapes them.
 */
const MARKS: { readonly [C in Colour]: string } = { green: '\ufdd1', yellow: '\ufdd2', red: '\ufdd3', gray: '\ufdd4' };
const END = '\ufdd0';
const MARKED = /([\ufdd1-\ufdd4])([^\ufdd0]*)\ufdd0/g;

/** The words of a padded cell in their colour, if they are a state that has one. */
export function inColour(cell: string): string {
  const word = cell.trimEnd();
  const colour = COLOURS.get(word);
  return colour === undefined ? cell : `${MARKS[colour]}${word}${END}${cell.slice(word.length)}`;
}

/**
 * The text with its colours where stdout is a terminal that takes them, or FORCE_COLOR asks for them; without them
 * otherwise, and with NO_COLOR.
 */
export const coloured = (text: string): string =>
  text.replace(MARKED, (_, mark: string, word: string) => {
    const colour = (['green', 'yellow', 'red', 'gray'] as const).find((one) => MARKS[one] === mark);
    return colour === undefined ? word : styleText(colour, word);
  });
