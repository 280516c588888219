import { execFileSync } from 'node:child_process';
import { copyFileSync, readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { execPath } from 'node:process';
import { parseArgs } from 'node:util';
import { buildSync } from 'esbuild';
import { measure } from '../infra/bundle/measure.ts';
import { ENTRIES } from '../infra/bundle/options.ts';
import { budgetOf, table } from '../infra/bundle/table.ts';
import { viteArguments } from '../local/operate/page.ts';
import { declarationsOf } from './declarations.ts';

/** `npm run build`: writes the package's code into dist/: the sources as JavaScript, in the same folders, with the type
 *  declarations of the entry points; the bundled handlers of the functions, whose sizes it prints; and the console's
 *  page. Exits with 1 when a bundle is over its budget. */
const { values } = parseArgs({ options: { outdir: { type: 'string', default: 'dist' } } });
const outdir = resolve(values.outdir);
const ROOT = join(import.meta.dirname, '..');

rmSync(outdir, { recursive: true, force: true });
run('node_modules/typescript/bin/tsc', '-p', 'package', '--outDir', outdir);
keepDeclarations();
bundleSdk();
const bundles = Object.entries(ENTRIES).map(([name, entry]) =>
  measure(name, entry, join(outdir, 'handlers')),
);
process.stdout.write(table(bundles));
const heavy = bundles.filter(bundle => bundle.gzip > budgetOf(bundle.name));
for (const { name, largest } of heavy)
  process.stderr.write(`${name} is over the budget; largest: ${largest}\n`);
if (heavy.length > 0) process.exitCode = 1;
execFileSync(execPath, viteArguments(ROOT, join(outdir, 'console')), { stdio: 'inherit' });

/** Runs a script of the checkout with this Node. */
function run(script: string, ...args: readonly string[]): void {
  execFileSync(execPath, [join(ROOT, script), ...args], { stdio: 'inherit' });
}

/** Removes the declarations that can't be imported. */
function keepDeclarations(): void {
  const kept = declarationsOf(['infra/index.d.ts', 'receiver/index.d.ts'].map(entry => join(outdir, entry)));
  for (const name of readdirSync(outdir, { recursive: true, encoding: 'utf8' }))
    if (name.endsWith('.d.ts') && !kept.has(join(outdir, name))) rmSync(join(outdir, name));
}

/** Bundles the MCP SDK, whose packages would add 9 MB to an installation, in the place of its import. */
function bundleSdk(): void {
  buildSync({
    entryPoints: [join(ROOT, 'cli/mcp/sdk.ts')],
    outfile: join(outdir, 'cli/mcp/sdk.js'),
    ...{ bundle: true, platform: 'node', target: 'node24', format: 'esm', minify: true },
    external: ['zod'],
    logLevel: 'warning',
  });
  copyFileSync(
    join(ROOT, 'node_modules/@modelcontextprotocol/server/LICENSE'),
    join(outdir, 'cli/mcp/sdk.LICENSE'),
  );
}
