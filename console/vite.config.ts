import { defineConfig } from 'vite';

/** The page of `console/`, as the local server serves it (local/operate/server.ts): every script and style is a file of its own in
 *  `assets/`, because its Content-Security-Policy allows none within the page. */
export default defineConfig({
  root: import.meta.dirname,
  base: '/',
  publicDir: false,
  // No file `.env` is read, so that nothing of it gets into the page.
  envDir: false,
  envPrefix: 'CONSOLE_PAGE_',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // The page is served on this machine: its compressed size doesn't matter, and takes time to find out.
    reportCompressedSize: false,
  },
  logLevel: 'error',
});
