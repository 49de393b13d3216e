// Short ids, for lists: one form for all of them.

/**
 * `pay_…1f3a2b`, `payment-pay_…1f3a2b`: the beginnings of ids are times, and look alike. A short id is shown whole; ''
 * for none.
 */
export const shortId = (id: string | undefined): string =>
  id === undefined ? '' : id.replace(/^((?:[A-Za-z]+-)?(?:[a-z]+_)?).{7,}(.{6})$/, '$1…$2');
