#!/usr/bin/env node
// JavaScript, so that any Node can start it. The rest is for Node 24: TypeScript in a checkout, and what
// was made of it in the package. In a checkout an older Node starts the one that `npm ci` installs
// (design.md §12) as a child, which has the same terminal and signals, and exits with its exit code.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const SOURCE = fileURLToPath(new URL('main.ts', import.meta.url));
const isCheckout = existsSync(SOURCE);
const MAIN = isCheckout ? SOURCE : fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
const [major] = process.versions.node.split('.').map(Number);

if (major >= 24) await import(pathToFileURL(MAIN).href);
else handOver(isCheckout ? projectsNode() : undefined);

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
  const child = spawn(node, [MAIN, ...process.argv.slice(2)], { stdio: 'inherit' });
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
