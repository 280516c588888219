import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';

/** What a start need not compile again; beside the modules themselves, which whoever may write there owns anyway. Where nobody
 *  may, each start compiles. */
const CACHE = fileURLToPath(new URL('../node_modules/.cache/changewire', import.meta.url));

/** Node lets its heap grow for as long as the machine has room. A run that lasts for years collects sooner: less than half of
 *  the memory, for a tenth more of processor time (`npm run bench:machine`). No bound is set: what a process needs, it gets. */
const SPARING = ['--max-semi-space-size=2', '--semi-space-growth-factor=1', '--heap-growing-percent=15'];

enableCompileCache(CACHE);
// Before anything is loaded that the heap would grow for.
for (const flag of SPARING) setFlagsFromString(flag);
await import('./run.ts');
