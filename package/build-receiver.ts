import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { execPath } from 'node:process';
import { parseArgs } from 'node:util';
import { jsonSchemas, unionSchema } from '../functions/model/event.ts';

/** `node package/build-receiver.ts`: writes the package for receivers, `changewire-events`, into a folder that
 *  `npm pack` takes: code, type declarations, JSON Schemas. */
const { values } = parseArgs({ options: { outdir: { type: 'string', default: 'dist/changewire-events' } } });
const outdir = resolve(values.outdir);
const ROOT = join(import.meta.dirname, '..');

rmSync(outdir, { recursive: true, force: true });
mkdirSync(join(outdir, 'schemas'), { recursive: true });
const compile = ['node_modules/typescript/bin/tsc', '-p', 'receiver', '--outDir', join(outdir, 'dist')];
execFileSync(execPath, compile, { cwd: ROOT, stdio: 'inherit' });
for (const [name, schema] of Object.entries({ ...jsonSchemas(), event: unionSchema() }))
  writeFileSync(join(outdir, 'schemas', `${name}.json`), `${JSON.stringify(schema, null, 2)}\n`);
for (const path of ['receiver/package.json', 'receiver/README.md', 'LICENSE'])
  copyFileSync(join(ROOT, path), join(outdir, path.replace('receiver/', '')));
