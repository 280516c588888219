import { matchesGlob } from 'node:path';
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';
import { ROOMS, type Room } from './rooms.ts';

/** `npm run test:mutation`: changes the code of each room in every way that Stryker knows, one at a time, and runs the
 *  tests of that room: a change that no test notices survives. Exits with 1 when a room's score is below its threshold.
 *
 *  `npm run test:mutation -- changes snapshots`: these rooms only.
 *  `npm run test:mutation -- functions/basics/decimal.ts`: these files only; a threshold below 100 is not asked for.
 *  `--concurrency 1`: one process at a time (default: 2).
 *  `--incremental`: goes on from the last run's report, and runs what changed since in code or test files. */

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    incremental: { type: 'boolean', default: false },
    concurrency: { type: 'string', default: '2' },
  },
});
const named = positionals.filter(name => name in ROOMS) as Room[];
const files = positionals.filter(name => !(name in ROOMS));

for (const room of Object.keys(ROOMS) as Room[]) {
  const { files: all, break: least } = ROOMS[room];
  const own = files.filter(file => all.some(glob => matchesGlob(file, glob)));
  if (positionals.length === 0 || named.includes(room)) await mutate(room, all, least);
  // Where nothing survives in a room, nothing does in any of its files.
  else if (own.length > 0) await mutate(room, own, least === 100 ? least : null);
}

async function mutate(room: Room, mutate: readonly string[], threshold: number | null): Promise<void> {
  const reports = `mutation/${room}`;
  // Read by vitest.mutation.config.ts, in processes of their own.
  process.env.MUTATED_BY = ROOMS[room].tests.join(',');
  await new Stryker({
    testRunner: 'vitest',
    plugins: ['@stryker-mutator/vitest-runner'],
    // Only tests that load a file can notice what is changed in it.
    vitest: { configFile: 'vitest.mutation.config.ts', dir: 'test', related: true },
    mutate,
    coverageAnalysis: 'perTest',
    concurrency: Number(values.concurrency),
    timeoutMS: 20_000,
    incremental: values.incremental,
    incrementalFile: `${reports}/incremental.json`,
    tempDirName: '.stryker-tmp',
    // What other commands leave here is not copied beside the code.
    ignorePatterns: ['/.emulator', '/cdk.out', '/coverage', '/mutation'],
    // TypeScript 7 has no API for Stryker to read this file with, and the tests run without it.
    tsconfigFile: 'none',
    reporters: ['clear-text', 'progress-append-only', 'html', 'json'],
    clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
    htmlReporter: { fileName: `${reports}/report.html` },
    jsonReporter: { fileName: `${reports}/report.json` },
    thresholds: { break: threshold },
  } as object).runMutationTest();
}
