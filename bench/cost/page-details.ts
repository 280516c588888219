import type { Measured } from './measure.ts';
import { ASSUMED } from './month.ts';
import { count, table } from './page-format.ts';
import { TASKS_PER_PROJECT } from './sizes.ts';
import { billedMs, LATENCY, type Used } from './used.ts';

const shown = (used: Used, memoryMb: number) => [
  ...[count(used.readUnits, 1), count(used.writeUnits, 1), count(used.logged)],
  ...[count(used.worked, 1), count(billedMs(used, memoryMb))],
];

/** What each kind of run uses. */
export function runs(measured: Measured): string[] {
  const kinds: [string, string, Used | null | undefined][] = [
    ['idle run over one process', 'poll', measured.idlePass],
    ['idle run over 25 processes', 'poll', measured.idleRuns?.large.used],
    ['run over 25 processes that meets an outage', 'poll', measured.outage?.met],
    ['a change, in addition', 'poll', measured.change],
    ['sweep', 'poll', measured.sweep],
    ['baseline', 'poll', measured.baseline],
    ['tick, 4,000 processes', 'tick', measured.tick.large],
    ...(['publish', 'route', 'deliver'] as const).map((name): [string, string, Used] => [
      `${name}, one event`,
      name,
      measured.delivering.busy[name].first,
    ]),
  ];
  const rows = kinds.flatMap(([what, name, used]) => {
    const memoryMb = measured.functions[name]?.memoryMb ?? 0;
    return used ? [[what, ...shown(used, memoryMb)]] : [];
  });
  return [
    '## What a run uses',
    '',
    `Means of several runs: DynamoDB's read and write units, bytes of log, ms of work on one processor, ms billed. \`route\` has ${count(measured.functions.route?.memoryMb ?? 0)} MB of memory, the others ${count(measured.functions.poll?.memoryMb ?? 0)}.`,
    '',
    ...table(['', 'read', 'write', 'log', 'works', 'billed'], rows),
  ];
}

/** How it is measured, and what is assumed. */
export function method(measured: Measured): string[] {
  const latencies = Object.entries(LATENCY)
    .map(([party, ms]) => `${party} ${ms}`)
    .join(', ');
  return [
    '## How it is counted',
    '',
    '- The stack’s bundles run as processes over the simulated service. An embedded DynamoDB counts units by AWS’s rules; other services count by requests.',
    `- Every response takes a fixed time in ms: ${latencies} (*service*: receivers, too). Work is processor time on an AMD EPYC core, taken as a Lambda processor.`,
    `- Lambda’s ${ASSUMED.pollers} pollers of each queue wait ${ASSUMED.pollSeconds} s: ${count((ASSUMED.pollers * 730 * 3600) / ASSUMED.pollSeconds)} receives a month for an empty queue.`,
    `- Assumed: a token is valid for an hour; a function has ${ASSUMED.environments} environments for each that is always busy, and one more, each replaced ${ASSUMED.startsPerDay} times a day; stored logs are compressed to ${ASSUMED.compressed * 100} %.`,
    '- Not included: requests by people, retries, failing endpoints, native subscriptions (0.60 $ per million HTTP deliveries), the CDK’s asset bucket, TLS bytes.',
    `- In the table a project of ${TASKS_PER_PROJECT} tasks takes ${count(measured.projectBytes)} bytes, a change record ${count(measured.changeBytes)}, an attempt ${count(measured.attemptBytes)}.`,
    '- `bench/cost/prices.ts` has each price’s source.',
    '',
  ];
}
