import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

/** Compiled code is kept here for the next start, beside that of the run. Where nobody may write, each
 *  start compiles. */
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/changewire', import.meta.url)));
await import('./run.ts');
