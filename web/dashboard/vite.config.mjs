// How the dashboard's pages are built; `npx vite web/dashboard` serves them as they are edited, over a service on port
// 4000.
import react from '@vitejs/plugin-react';
import { transform } from 'lightningcss';
import { defineConfig } from 'vite';

/**
 * Moves the stylesheet below the shell, which is then drawn without it. Browsers hold back module scripts until it is
 * there.
 */
const stylesBelowShell = {
  name: 'styles-below-shell',
  enforce: 'post',
  transformIndexHtml: {
    order: 'post',
    /** @param {string} html */
    handler: (html) => {
      const [link = ''] = /<link rel="stylesheet"[^>]*>/.exec(html) ?? [];
      return html.replace(link, '').replace('</body>', `  ${link}\n  </body>`);
    },
  },
};

/**
 * Leaves out the rules of Mantine's components that no page uses. The styles of all of them come in one file, and the
 * script of each component names its classes, which begin with `m_`.
 */
const stylesInUse = {
  name: 'styles-in-use',
  enforce: 'post',
  generateBundle: {
    order: 'post',
    /** @param {unknown} _options @param {import('vite').Rolldown.OutputBundle} bundle */
    handler(_options, bundle) {
      const files = Object.values(bundle);
      const scripts = files.map((file) => (file.type === 'chunk' ? file.code : '')).join('\n');
      const used = new Set(scripts.match(/\bm_\w+/g));
      /** @type {(selector: import('lightningcss').Selector) => boolean} */
      const isUsed = (selector) =>
        selector.every((part) => part.type !== 'class' || !part.name.startsWith('m_') || used.has(part.name));
      for (const file of files) {
        if (file.type !== 'asset' || !file.fileName.endsWith('.css')) continue;
        const { code } = transform({
          filename: file.fileName,
          code: Buffer.from(file.source),
          minify: true,
          visitor: { Rule: { style: ({ value }) => (value.selectors.some(isUsed) ? undefined : []) } },
        });
        file.source = code.toString();
      }
    },
  },
};

export default defineConfig({
  base: '/dashboard/',
  plugins: [react(), stylesBelowShell, stylesInUse],
  // The server puts a fresh nonce in its place for each answer (src/http/web-files.ts).
  html: { cspNonce: '__STYLE_NONCE__' },
  build: {
    target: 'es2023',
    modulePreload: { polyfill: false },
    // A font or picture inside of CSS would be a data: URL, which the policy forbids for fonts.
    assetsInlineLimit: 0,
    // One file for all pages: a page whose own styles did not arrive would be drawn without them.
    cssCodeSplit: false,
    reportCompressedSize: false,
    // The frame of all pages is one file on purpose.
    chunkSizeWarningLimit: 800,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'frame', tags: ['$initial'], priority: 3 },
            { name: 'overview', test: /overview-page\.tsx$/, priority: 2 },
            { name: 'parts', minShareCount: 4, priority: 1 },
          ],
        },
      },
    },
  },
  server: { proxy: { '/dashboard/api': 'http://127.0.0.1:4000' } },
});
