import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

/** What a start need not compile again; the run keeps its own there, too. Where nobody may write, each start compiles. */
enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/changewire', import.meta.url)));
await import('./run.ts');
