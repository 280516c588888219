import { enableCompileCache } from 'node:module';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const FOLDER = 'node_modules';

/**
 * Keeps compiled code for the next start, in the `node_modules` that the dependencies are loaded from: that of a checkout, or
 * the one into which the package was installed. Whoever may write there could change these as well. Where nobody may write,
 * each start compiles.
 */
export function keepCompiledCode(): void {
  const dependency = fileURLToPath(import.meta.resolve('zod'));
  const modules = dependency.slice(0, dependency.lastIndexOf(`${sep}${FOLDER}${sep}`) + 1);
  enableCompileCache(join(modules, FOLDER, '.cache', 'changewire'));
}
