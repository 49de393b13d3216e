// Text for a terminal: invisible characters are escaped. They can move the cursor, turn the reading direction or make
// texts look the same.

/**
 * Control characters, format characters (direction marks among them), half surrogates, other line ends, and characters
 * without width. Noncharacters only within a line: they mark the colours of a table.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}]/gu;
const UNSEEN_BUT_LINE_ENDS = /[^\P{Cc}\n]|[\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

const escaped = (character: string): string => {
  const code = character.codePointAt(0) ?? 0;
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`;
};

/** Several lines; all text for stdout or stderr as text passes here. */
export const visible = (text: string): string => text.replace(UNSEEN_BUT_LINE_ENDS, escaped);

/**
 * Makes a text visible within one line: line ends are escaped as well, those of Windows and Unix in their usual form.
 */
export const oneLine = (text: string): string =>
  text.replace(UNSEEN, (character) => (character === '\n' ? '\\n' : character === '\r' ? '\\r' : escaped(character)));

/** JSON text, whose strings are escaped in JSON's own way, so that it says the same; line ends between members stay. */
export const visibleJson = (text: string): string =>
  text.replace(UNSEEN_BUT_LINE_ENDS, (character) =>
    [...Array(character.length).keys()]
      .map((place) => `\\u${character.charCodeAt(place).toString(16).padStart(4, '0')}`)
      .join(''),
  );

/** Any value, every text in it made visible, names of members included; stacks of faults keep their lines. */
export function visibleDeep(value: unknown, name = ''): unknown {
  if (typeof value === 'string') return name === 'stack' ? visible(value) : oneLine(value);
  if (Array.isArray(value)) return value.map((item) => visibleDeep(item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([member, its]) => [oneLine(member), visibleDeep(its, member)]));
}
