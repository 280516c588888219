import { fileURLToPath } from 'node:url';
import type { BuildOptions } from 'esbuild';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

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

/** How an entry becomes one `index.mjs` for Node 24. Paths are relative to the root, so the same source gives the
 *  same bytes in every clone, and an unchanged function is not deployed again. */
export function bundleOptions(entry: string, outdir: string) {
  return {
    absWorkingDir: ROOT,
    entryPoints: { index: entry },
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    // Many packages name their ESM build under `module` only, and esbuild can drop unused code from ESM
    // alone.
    mainFields: ['module', 'main'],
    // CommonJS parts call `require` for Node's own modules; an ES module has none.
    banner: {
      js: "import{createRequire as bundleRequire}from'node:module';const require=bundleRequire(import.meta.url);",
    },
    minify: true,
    // Logs and metrics name errors and classes; a minified name would tell nothing.
    keepNames: true,
    sourcemap: 'linked',
    sourcesContent: false,
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
  } satisfies BuildOptions;
}
