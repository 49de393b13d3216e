// The streams that a projection reads, by the categories in their names.

const isOf = (category: string, stream: string): boolean => stream.startsWith(category) && stream.charAt(category.length) === '-';

/** Whether a stream is of one of these categories. */
export const isOneOf = (categories: readonly string[], stream: string): boolean => categories.some((category) => isOf(category, stream));

export const categoryOf = (stream: string): string => stream.slice(0, stream.indexOf('-'));
