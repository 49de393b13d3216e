// The layout of every page: header, navigation, the article with its contents, the previous and the next page.
import { escapeHtml } from './highlight.mjs';
import { GROUPS } from './pages.mjs';

/**
 * @typedef {object} Assets addresses of the built files
 * @property {string} theme
 * @property {string} site
 * @property {string} style
 * @property {string} search
 * @property {string} api
 * @property {string} verifyProof
 * @property {string} apiStyle
 * @property {string} scalar
 * @property {string} icon
 */

/**
 * @param {string} title
 * @param {string} description
 * @param {Assets} assets
 * @param {string} more further elements of the head
 */
const head = (title, description, { theme, style, icon }, more) => `<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<meta name="description" content="${escapeHtml(description.slice(0, 200))}">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="${icon}" type="image/svg+xml">
<link rel="stylesheet" href="${style}">
<script src="${theme}"></script>
${more}`;

const MARK = `<svg class="mark" viewBox="0 0 32 32" width="24" height="24" aria-hidden="true"><rect width="32" height="32" rx="7" fill="#2f52d9"/><path d="M8 8.5h16v15l-2.7-1.7-2.6 1.7-2.7-1.7-2.7 1.7-2.6-1.7L8 23.5z" fill="#fff"/><path d="M12 13h8M12 17h5" stroke="#2f52d9" stroke-width="1.8" stroke-linecap="round"/></svg>`;
const MOON = `<svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true"><path d="M13.5 9.6A5.8 5.8 0 0 1 6.4 2.5a5.8 5.8 0 1 0 7.1 7.1Z" fill="none" stroke="currentColor" stroke-width="1.4" stroke-linejoin="round"/></svg>`;
const LENS = `<svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true"><circle cx="7" cy="7" r="4.4" fill="none" stroke="currentColor" stroke-width="1.5"/><path d="m10.4 10.4 3.4 3.4" stroke="currentColor" stroke-width="1.5" stroke-linecap="round"/></svg>`;
const BARS = `<svg viewBox="0 0 16 16" width="18" height="18" aria-hidden="true"><path d="M2.5 4.5h11M2.5 8h11M2.5 11.5h11" stroke="currentColor" stroke-width="1.4" stroke-linecap="round"/></svg>`;

/** The two descriptions of the service, each with the page that shows it. */
export const REFERENCES = [
  { url: '/docs/api', file: 'api.html', document: '/openapi.json', name: 'Payments', title: 'API reference' },
  {
    url: '/docs/management-api',
    file: 'management-api.html',
    document: '/management/openapi.json',
    name: 'Management',
    title: 'Management API reference',
  },
];
const isReference = (/** @type {string} */ url) => REFERENCES.some((one) => one.url === url);

/** @param {string} url the page that is open */
const header = (url) => `<a class="skip" href="#content">To the text</a>
<header class="top">
<button type="button" class="icon menu" id="menu" aria-controls="nav" aria-expanded="false" aria-label="Pages">${BARS}</button>
<a class="brand" href="/docs" aria-label="Counterfoil, the documentation">${MARK}<span>Counterfoil</span></a>
<nav class="tabs" aria-label="Parts"><a href="/docs"${isReference(url) ? '' : ' aria-current="true"'}>Guides</a><a href="/docs/api"${isReference(url) ? ' aria-current="true"' : ''}>API reference</a><a href="/dashboard">Dashboard</a></nav>
<button type="button" class="find" id="find" aria-label="Search" hidden>${LENS}<span>Search</span><kbd>/</kbd></button>
<button type="button" class="icon" id="theme" aria-label="Switch between light and dark" hidden>${MOON}</button>
</header>`;

/** @param {string} current */
const navigation = (current) =>
  GROUPS.map(({ title, isPath, pages }) => {
    const links = pages.map(
      ({ url, nav = '' }) =>
        `<li><a href="${url}"${url === current ? ' aria-current="page"' : ''}>${escapeHtml(nav)}</a></li>`,
    );
    const list = isPath ? 'ol' : 'ul';
    return `<h2>${title}</h2>\n<${list}>${links.join('')}</${list}>`;
  }).join('\n');

/** @param {readonly import('./markdown.mjs').Heading[]} headings */
function contents(headings) {
  const shown = headings.filter(({ level }) => level === 2 || level === 3);
  if (shown.length < 2) return '';
  const links = shown.map(
    ({ level, text, anchor }) => `<li class="l${level}"><a href="#${anchor}">${escapeHtml(text)}</a></li>`,
  );
  return `<h2 id="toc-title">On this page</h2><ul>${links.join('')}</ul>`;
}

/** The last line of a page in Markdown: the link below the article says the same. */
const NEXT = /<p><strong>Next:<\/strong>.*<\/p>\n$/;

/** @param {string} url */
function neighbours(url) {
  const pages = GROUPS.flatMap((group) => group.pages);
  const at = pages.findIndex((page) => page.url === url);
  if (at === -1) return '';
  const [before, after] = [pages[at - 1], pages[at + 1]];
  const link = (/** @type {typeof before} */ page, /** @type {string} */ kind, /** @type {string} */ word) =>
    page === undefined
      ? '<span></span>'
      : `<a class="${kind}" href="${page.url}"><small>${word}</small>${escapeHtml(page.nav ?? '')}</a>`;
  return `<nav class="neighbours" aria-label="Previous and next page">${link(before, 'before', 'Previous')}${link(after, 'after', 'Next')}</nav>`;
}

/**
 * @param {import('./pages.mjs').Page} page
 * @param {import('./markdown.mjs').Rendered} rendered
 * @param {Assets} assets
 */
export function pageHtml({ url, crumb }, rendered, assets) {
  const toc = contents(rendered.headings);
  const open = crumb ?? url;
  return `<!doctype html>
<html lang="en" data-search="${assets.search}">
<head>
${head(url === '/docs' ? 'Counterfoil documentation' : `${rendered.title} · Counterfoil`, rendered.summary, assets, [assets.site, ...(url === '/docs/proofs' ? [assets.verifyProof] : [])].map((script) => `<script src="${script}" defer></script>`).join('\n'))}
</head>
<body class="${url === '/docs' ? 'home' : 'guide'}">
${header(url)}
<div class="frame">
<nav class="side" id="nav" aria-label="Pages">
${navigation(open)}
</nav>
<main id="content" tabindex="-1">
${toc === '' ? '' : `<details class="toc-small"><summary>On this page</summary><nav aria-label="On this page">${toc.replace('<h2 id="toc-title">On this page</h2>', '')}</nav></details>`}
<article>
${crumb === undefined ? '' : `<p class="crumb"><a href="${crumb}">← ${escapeHtml(nameOf(crumb))}</a></p>`}
${rendered.html.replace(NEXT, '')}</article>
${neighbours(url)}
</main>
<nav class="toc" aria-label="Headings">${toc}</nav>
</div>
</body>
</html>
`;
}

/** @param {string} url */
const nameOf = (url) => GROUPS.flatMap(({ pages }) => pages).find((page) => page.url === url)?.nav ?? '';

/**
 * The pages of the API reference under the same header, by file: one of payments, one of management.
 * @param {Assets} assets
 */
export const referencePages = (assets) => REFERENCES.map((page) => ({ file: page.file, html: apiHtml(page, assets) }));

/** @param {typeof REFERENCES[number]} page @param {Assets} assets */
const apiHtml = ({ url, document, title }, assets) => `<!doctype html>
<html lang="en" data-search="${assets.search}">
<head>
${head(`${title} · Counterfoil`, 'Every operation of the API, with requests that you can try against this server.', assets, `<link rel="stylesheet" href="${assets.apiStyle}">`)}
</head>
<body class="api">
${header(url)}
<nav class="apis" aria-label="Descriptions">${REFERENCES.map((one) => `<a href="${one.url}"${one.url === url ? ' aria-current="page"' : ''}>${one.name}</a>`).join('')}</nav>
<div id="content" tabindex="-1"><div id="reference" data-document="${document}"><p class="wait">Loading the API reference…</p><noscript><p class="wait">The reference needs JavaScript. See <a href="${document}">${document}</a> for the description, and <a href="/docs/contract">the contract</a> for the rules.</p></noscript></div></div>
<script src="${assets.site}" defer></script>
<script src="${assets.scalar}" defer></script>
<script src="${assets.api}" defer></script>
</body>
</html>
`;

/** The page for an address below /docs that does not exist. @param {Assets} assets */
export const missingHtml = (assets) =>
  pageHtml(
    { source: '', url: '' },
    {
      title: 'Page not found',
      summary: 'No page has this address.',
      headings: [],
      pictures: [],
      html: '<h1>Page not found</h1>\n<p>No page has this address. All pages are listed on the left, and the search (<kbd>/</kbd>) covers them all.</p>\n<p><a href="/docs">Go to the first page</a></p>\n',
    },
    assets,
  );
