#!/usr/bin/env node
// JavaScript, so that any Node can start it. The rest is for Node 24: TypeScript in a checkout, and what
// was made of it in the package. In a checkout an older Node starts the one that `npm ci` installs
// (design.md §12) as a child, which has the same terminal and signals, and exits with its exit code.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const isCheckout = existsSync(fileURLToPath(new URL('program.ts', import.meta.url)));
const [major] = process.versions.node.split('.').map(Number);

if (major >= 24) await run();
else handOver(isCheckout ? projectsNode() : undefined);

async function run() {
  // A run sets flags of Node's heap before anything is loaded, so it is told apart here. It reads the rest.
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

/** The binary of the package `node`; undefined where npm has none for this platform. */
function projectsNode() {
  try {
    const manifest = createRequire(import.meta.url).resolve('node/package.json');
    const { bin } = JSON.parse(readFileSync(manifest, 'utf8'));
    return join(dirname(manifest), typeof bin === 'string' ? bin : bin.node);
  } catch {
    return undefined;
  }
}

function handOver(node) {
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
    ? `Run npm ci, which brings it where npm has it for ${process.platform} on ${process.arch}, or install it`
    : 'Install it';
  process.stderr.write(
    `changewire: This is Node ${process.versions.node}, and Node 24 or newer is needed. ${how} from https://nodejs.org.\n`,
  );
  process.exitCode = 2;
}
