import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findingsIn } from './language.ts';

/** Checks names, comments, messages and pages for words that the language of this project avoids: a part of
 *  `npm run check`. */
const ROOT = join(import.meta.dirname, '..');
/** Builds, the list itself, and the page that quotes the service's documentation. */
const LEFT_OUT = /(?:^|\/)(?:node_modules|dist)\/|^docs\/(?:language\.ts|service-api\.md)$/;

const FOLDERS = 'functions infra local cli console receiver simulator package bench docs examples'.split(' ');

const files = [
  ...readdirSync(ROOT).filter(file => file.endsWith('.md')),
  ...FOLDERS.flatMap(folder =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map(file => join(folder, file)),
  ),
].filter(file => /\.(?:tsx?|js|mjs|css|html|md|py|go)$/.test(file) && !LEFT_OUT.test(file));

const findings = files.flatMap(file =>
  findingsIn(readFileSync(join(ROOT, file), 'utf8'), /\.tsx?$/.test(file)).map(
    ({ line, found }) => `${file}:${line}: ${found}`,
  ),
);
for (const finding of findings) process.stderr.write(`${finding}\n`);
if (findings.length > 0) {
  process.stderr.write(
    `${findings.length} findings. docs/language.ts lists what is avoided, docs/glossary.md the words to use.\n`,
  );
  process.exitCode = 1;
}
