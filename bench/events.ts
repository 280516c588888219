import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fillJournal, PROCESSES } from './events/fill.ts';
import { measurePage } from './events/page.ts';

/**
 * The cost of queries in a journal of a million change records on one machine: the first page of events for
 * each kind of query. `npm run bench:events`; exit code 1 when a limit is exceeded.
 */
const RECORDS = Number(process.env.RECORDS ?? 1_000_000);
const FIRST_PAGE_MS = 200;
/** How much memory all pages together may take, in addition to the journal's own cache. */
const GROWTH_MB = 100;

const out = (text: string) => process.stdout.write(`${text}\n`);
const missed: string[] = [];
const directory = mkdtempSync(join(tmpdir(), 'changewire-bench-'));
try {
  const path = join(directory, 'journal.sqlite');
  const { since, until, seconds, megabytes, project } = fillJournal(path, RECORDS);
  out(
    `a journal of ${RECORDS} change records: ${megabytes.toFixed(0)} MB, filled in ${seconds.toFixed(0)} s`,
  );
  const middle = new Date((since + until) / 2).toISOString();
  const asked = [
    ['the newest', {}],
    ['the oldest', { order: 'oldest-first' }],
    ['from the middle on', { since: middle, order: 'oldest-first' }],
    ['before the middle', { until: middle }],
    ['of one of ten processes', { process: PROCESSES[3] as string }],
    ['of one project', { project }],
    ['of a type, all', { types: ['task.updated'] }],
    ['of a type that none has', { types: ['project.deleted'] }],
    ['of a field, by its name', { field: 'Due date' }],
    [
      'before the middle, of one process and one project',
      { until: middle, process: PROCESSES[3] as string, project },
    ],
  ] satisfies (readonly [string, Parameters<typeof measurePage>[1]])[];
  let most = 0;
  for (const [what, query] of asked) {
    const { ms, next, events, grown } = await measurePage(path, query);
    most = Math.max(most, grown);
    const isMet = ms <= FIRST_PAGE_MS;
    if (!isMet) missed.push(what);
    out(
      `  ${what}: ${events} events, first page ${ms.toFixed(0)} ms (at most ${FIRST_PAGE_MS}: ${isMet ? 'met' : 'MISSED'}), ` +
        `the tenth ${next.toFixed(0)} ms`,
    );
  }
  const isMet = most <= GROWTH_MB;
  if (!isMet) missed.push('memory');
  out(
    `the process grew by at most ${most.toFixed(0)} MB (at most ${GROWTH_MB}: ${isMet ? 'met' : 'MISSED'})`,
  );
} finally {
  rmSync(directory, { recursive: true, force: true });
}
if (missed.length > 0) {
  out(`Over the limit: ${missed.join(', ')}.`);
  process.exitCode = 1;
}
