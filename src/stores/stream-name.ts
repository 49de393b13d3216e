// The name of a stream, `<category>-<id>`, and its two parts.

export const streamOf = (category: string, id: string): string => `${category}-${id}`;

/** The part before the first hyphen. */
export const categoryOf = (stream: string): string => stream.slice(0, stream.indexOf('-'));

/** The part after it, which may hold more of them. */
export const idOf = (stream: string): string => stream.slice(stream.indexOf('-') + 1);

/** True if a stream is of one of these categories; makes no string, because followers ask it of every event. */
export const isOneOf = (categories: readonly string[], stream: string): boolean =>
  categories.some((category) => stream.startsWith(category) && stream.charAt(category.length) === '-');
