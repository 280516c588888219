import { fileURLToPath } from 'node:url';
import { build } from 'vite';

/** `node local/console/build.ts DIRECTORY`: builds the console's page into an empty directory. It is a process of its own, because Vite is
 *  for development: a run works without it, and keeps nothing of it in memory. */
const [outDir] = process.argv.slice(2);
if (outDir === undefined) throw new Error('Name the directory to build into.');
const configFile = fileURLToPath(new URL('../../console/vite.config.ts', import.meta.url));
await build({ configFile, configLoader: 'native', build: { outDir, emptyOutDir: true } });
