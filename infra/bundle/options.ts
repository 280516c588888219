import { fileURLToPath } from 'node:url';
import type { BuildOptions } from 'esbuild';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** The Lambda entries, by name: paths from the root of the repository. */
export const ENTRIES = {
  poll: 'functions/poll.ts',
  publish: 'functions/publish.ts',
  route: 'functions/route.ts',
  deliver: 'functions/deliver.ts',
  tick: 'functions/tick.ts',
  operate: 'functions/operate.ts',
} as const;

export type EntryName = keyof typeof ENTRIES;

/** Bundles an entry to `index.mjs` for Node 24, beside a folder with what it loads later. Paths are relative to the
 *  root, so that every clone produces the same bytes, and an unchanged function is not deployed again. */
export function bundleOptions(entry: string, outdir: string) {
  return {
    absWorkingDir: ROOT,
    entryPoints: { index: entry },
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    // What is imported dynamically, such as sending mails, costs no cold start where it is not needed.
    splitting: true,
    chunkNames: 'later/[name]-[hash]',
    platform: 'node',
    target: 'node24',
    format: 'esm',
    // Many packages have their ESM build only under `module`, and esbuild drops unused code only from ESM.
    mainFields: ['module', 'main'],
    // CommonJS packages call `require` for modules of Node; an ES module does not have it.
    banner: {
      js: "import{createRequire as bundleRequire}from'node:module';const require=bundleRequire(import.meta.url);",
    },
    minify: true,
    // Logs and metrics contain names of errors and classes.
    keepNames: true,
    sourcemap: 'linked',
    sourcesContent: false,
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
  } satisfies BuildOptions;
}
