import { defineConfig } from 'vite';

/** The page of `console/`, as the local server serves it (local/operate/server.ts): every script and style is a file of its own in
 *  `assets/`, because its Content-Security-Policy allows none within the page. */
export default defineConfig({
  root: import.meta.dirname,
  base: '/',
  publicDir: false,
  // Nothing of the environment gets into the page.
  envDir: false,
  envPrefix: 'CONSOLE_PAGE_',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // The page is on this machine: what is compressed would only take time.
    reportCompressedSize: false,
  },
  logLevel: 'error',
});
