// Builds the documentation into static files: pages from Markdown, styles and scripts, the search's index, the API
// reference.
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { describingParts, serviceCode } from '../service-code.mjs';
import { clientFiles } from './client-files.mjs';
import { missingHtml, pageHtml, REFERENCES, referencePages } from './layout.mjs';
import { renderer } from './markdown.mjs';
import { allPages, GROUPS } from './pages.mjs';

const HERE = dirname(fileURLToPath(import.meta.url));
const ROOT = join(HERE, '../..');
/** The dashboard's own, so that both look alike. */
const FONTS = join(ROOT, 'web/dashboard/src/app/fonts');
/** Scalar as one file, whose package has no other use here. */
const SCALAR = join(
  dirname(createRequire(import.meta.url).resolve('@scalar/fastify-api-reference')),
  'js/standalone.js',
);

/**
 * Writes every file below `out`, which is emptied first: `index.html` is /docs, `testing.html` is /docs/testing.
 * @param {string} [out]
 */
export async function buildDocs(out = join(ROOT, 'dist/web/docs')) {
  rmSync(out, { recursive: true, force: true });
  const pages = allPages(ROOT);
  const render = renderer(ROOT, new Map(pages.map(({ source, url }) => [source, url])));
  const rendered = pages.map((page) => ({ page, ...render(page.source) }));
  const scripts = await build({
    entryPoints: ['theme', 'site', 'api', 'verify-proof'].map((name) => join(HERE, `src/${name}.ts`)),
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'es2022',
    outdir: out,
    write: false,
  });
  /** @param {string} name @param {string | Uint8Array} content */
  const asset = (name, content) => {
    const hash = createHash('sha256').update(content).digest('hex').slice(0, 8);
    const path = `assets/${name.replace(/(\.\w+)$/, `-${hash}$1`)}`;
    write(out, path, content);
    return `/docs/${path}`;
  };
  const scriptOf = (/** @type {string} */ name) =>
    asset(`${name}.js`, scripts.outputFiles.find(({ path }) => basename(path) === `${name}.js`)?.contents ?? '');
  const fonts = ['inter.woff2', 'jetbrains-mono.woff2'].map((name) => ({
    name,
    url: asset(name, readFileSync(join(FONTS, name))),
  }));
  const styleOf = (/** @type {string} */ name) => {
    const style = readFileSync(join(HERE, name), 'utf8');
    return asset(
      name,
      fonts.reduce((text, font) => text.replaceAll(`url("${font.name}")`, `url("${font.url}")`), style),
    );
  };
  const assets = {
    theme: scriptOf('theme'),
    site: scriptOf('site'),
    api: scriptOf('api'),
    verifyProof: scriptOf('verify-proof'),
    style: styleOf('site.css'),
    apiStyle: styleOf('api.css'),
    icon: styleOf('favicon.svg'),
    scalar: asset('scalar.js', readFileSync(SCALAR)),
    search: asset('search.json', JSON.stringify([...searchIndex(rendered), ...(await operations())])),
  };
  for (const { page, ...one } of rendered) write(out, fileOf(page.url), pageHtml(page, one, assets));
  for (const { file, html } of referencePages(assets)) write(out, file, html);
  write(out, '404.html', missingHtml(assets));
  for (const { name, content } of clientFiles(ROOT)) write(out, name, content);
  for (const picture of new Set(rendered.flatMap(({ pictures }) => pictures))) {
    mkdirSync(join(out, 'pictures'), { recursive: true });
    copyFileSync(join(ROOT, picture), join(out, 'pictures', basename(picture)));
  }
}

/** @param {string} url */
const fileOf = (url) => (url === '/docs' ? 'index.html' : `${url.slice('/docs/'.length)}.html`);

/** @param {string} out @param {string} path @param {string | Uint8Array} content */
function write(out, path, content) {
  const to = join(out, path);
  mkdirSync(dirname(to), { recursive: true });
  writeFileSync(to, content);
}

/**
 * @param {readonly (import('./markdown.mjs').Rendered & { readonly page: import('./pages.mjs').Page })[]} rendered
 * @returns {readonly import('./src/search.ts').Entry[]}
 */
const searchIndex = (rendered) =>
  rendered.flatMap(({ page: { source, url, nav }, title, headings }) =>
    headings.map(
      ({ level, text, anchor, body }) =>
        /** @type {const} */ ([
          level === 1 ? url : `${url}#${anchor}`,
          nav ?? title.replace(/^(\d{4})\. .*/, 'Decision $1'),
          level === 1 && kindOf(source) !== 'decision' ? '' : text,
          body.replaceAll(/\s+/g, ' ').trim(),
          kindOf(source),
        ]),
    ),
  );

/**
 * The operations of the API references, each at the place where Scalar shows it.
 * @returns {Promise<readonly import('./src/search.ts').Entry[]>}
 */
async function operations() {
  const code = await serviceCode(`
    export { openapi } from './http/openapi.ts';
    export { allRoutes, managementRoutes } from './http/routes/all.ts';
    export { FaultPlan as faultPlan, FaultReport as faultReport } from './processors/sandbox/fault-plan.ts';`);
  const parts = describingParts(code);
  const documents = [code.openapi(code.allRoutes(parts)), code.openapi(code.managementRoutes(parts), 'management')];
  return REFERENCES.flatMap(({ url, title }, at) =>
    Object.entries(JSON.parse(documents[at]).paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(
        ([
          method,
          {
            summary,
            tags: [tag],
          },
        ]) => {
          const name = `${method.toUpperCase()} ${path}`;
          const place = `tag/${tag.toLowerCase().replaceAll(' ', '-')}/${name.replace(' ', '')}`;
          return /** @type {const} */ ([`${url}#${place}`, title, summary, `${name} ${tag}`, 'operation']);
        },
      ),
    ),
  );
}

const PATH = new Set(GROUPS.flatMap(({ isPath, pages }) => (isPath ? pages.map(({ source }) => source) : [])));

/** Guides are found first, then pages for reference. @param {string} source */
const kindOf = (source) => {
  if (source.startsWith('docs/adr/')) return 'decision';
  if (PATH.has(source)) return 'path';
  if (/^docs\/(?:guides\/|(?:python-)?client\.md)/.test(source)) return 'guide';
  return /^docs\/(?:contract|specification|operating|dashboard|glossary)|^(?:SECURITY|deploy)/.test(source)
    ? 'reference'
    : 'rest';
};

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildDocs(process.argv[2]);
