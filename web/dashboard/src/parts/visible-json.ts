// JSON as text for people. Characters that change the direction of writing are escaped, so that a line reads in its
// stored order.

const TURNS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** The same JSON: `\u202e` in place of the character. */
export const visibleJson = (json: string): string =>
  json.replace(TURNS, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
