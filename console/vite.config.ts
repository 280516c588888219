import { defineConfig } from 'vite';

/** Builds the page that local/operate/server.ts serves. Each script and style is a separate file, because the
 *  Content-Security-Policy forbids inline ones. */
export default defineConfig({
  root: import.meta.dirname,
  base: '/',
  publicDir: false,
  // Keeps the values of a file `.env` out of the page.
  envDir: false,
  envPrefix: 'CONSOLE_PAGE_',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // The page is served locally, so its compressed size does not matter.
    reportCompressedSize: false,
  },
  logLevel: 'error',
});
