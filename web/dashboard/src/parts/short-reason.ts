// The reason of a refusal, for lists: without the article that all of them begin with, and without the full stop.

/** `Card has expired` of `The card has expired.`; undefined for none. */
export const shortReason = (message: string | undefined): string | undefined =>
  message?.replace(/^The (\w)/, (_, first: string) => first.toUpperCase()).replace(/\.$/, '');
