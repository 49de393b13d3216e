// The index of the search: each heading of each page with the words under it, small enough to be sent whole.

/** Of the words under one heading so many signs are searched. */
const LONGEST = 6_000;

/**
 * @param {readonly (import('./markdown.mjs').Rendered & { readonly page: import('./pages.mjs').Page })[]} rendered
 * @returns {readonly (readonly [url: string, page: string, heading: string, text: string])[]}
 */
export const searchIndex = (rendered) =>
  rendered.flatMap(({ page: { url, nav }, title, headings }) =>
    headings.map(
      ({ level, text, anchor, body }) =>
        /** @type {const} */ ([
          level === 1 ? url : `${url}#${anchor}`,
          nav ?? title.replace(/^(\d{4})\. .*/, 'Decision $1'),
          level === 1 ? '' : text,
          body.replaceAll(/\s+/g, ' ').trim().slice(0, LONGEST),
        ]),
    ),
  );
