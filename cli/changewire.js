#!/usr/bin/env node
// JavaScript, so that any version of Node.js can start it. The rest needs Node.js 24: TypeScript in a checkout, built
// JavaScript in the package. In a checkout, an older Node.js runs the one that `npm ci` installs (design.md §12) as a
// child with the same terminal and signals, and exits with its exit code.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const isCheckout = existsSync(fileURLToPath(new URL('program.ts', import.meta.url)));
const [major] = process.versions.node.split('.').map(Number);

if (major >= 24) await run();
else runWith(isCheckout ? installedNode() : undefined);

async function run() {
  // A run sets flags of Node's heap before any other module is loaded, and parses its own options.
  if (process.argv[2] === 'start') {
    process.argv.splice(2, 1);
    return load('local/main');
  }
  const { keepCompiledCode } = await load('local/basics/package-file');
  keepCompiledCode();
  const { runHere } = await load('cli/program');
  await runHere();
}

function load(module) {
  const path = isCheckout ? `../${module}.ts` : `../dist/${module}.js`;
  return import(new URL(path, import.meta.url).href);
}

/** The binary of the package `node`; undefined if npm has no binary for this platform. */
function installedNode() {
  try {
    const manifest = createRequire(import.meta.url).resolve('node/package.json');
    const { bin } = JSON.parse(readFileSync(manifest, 'utf8'));
    return join(dirname(manifest), typeof bin === 'string' ? bin : bin.node);
  } catch {
    return undefined;
  }
}

function runWith(node) {
  if (node === undefined) return tooOld();
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' });
  child.once('error', tooOld);
  // The terminal sends Ctrl-C to both processes; this one leaves it to the child.
  process.on('SIGINT', () => undefined);
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.once('exit', (code, signal) => {
    process.exitCode = code ?? 128 + (signal === 'SIGTERM' ? 15 : 2);
  });
}

function tooOld() {
  const how = isCheckout
    ? `Run npm ci, which installs it if available for ${process.platform} on ${process.arch}, or install it`
    : 'Install it';
  process.stderr.write(
    `changewire: Node.js 24 or newer is required; this is Node.js ${process.versions.node}. ${how} from https://nodejs.org.\n`,
  );
  process.exitCode = 2;
}
