// The meaning of each value of an enumeration, as part of its schema: readers of the description show it, and the
// contract's tables have it.

/** For `.meta`: `x-enumDescriptions`, the name that API references read. */
export const valuesIn = (words: { readonly [value: string]: string }): { readonly 'x-enumDescriptions': object } => ({
  'x-enumDescriptions': words,
});
