// How the dashboard's pages are built; `npx vite web/dashboard` serves them as they are edited, over a service on port
// 4000.
import react from '@vitejs/plugin-react';
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

export default defineConfig({
  base: '/dashboard/',
  plugins: [react(), stylesBelowShell],
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
  },
  server: { proxy: { '/dashboard/api': 'http://127.0.0.1:4000' } },
});
