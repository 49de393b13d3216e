// Short ids, for lists.

/** `pay_…1f3a2b`: the beginnings of ids are times, and look alike. '' for none. */
export const shortId = (id: string | undefined): string =>
  id === undefined ? '' : id.replace(/^([a-z]+_).*(.{6})$/, '$1…$2');
