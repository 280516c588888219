import type { Measured } from './measure.ts';
import { ASSUMED } from './month.ts';
import { count, table } from './page-format.ts';
import { LOOKED_UP, PRICES, type Price, REGION } from './prices.ts';
import { SIZES, TASKS_PER_PROJECT } from './sizes.ts';
import { billedMs, LATENCY, type Used } from './used.ts';

const shown = (used: Used, memoryMb: number) => [
  count(
    Object.entries(used.requests).reduce(
      (sum, [name, value]) => (name.startsWith('dynamodb') ? sum + value : sum),
      0,
    ),
    1,
  ),
  ...[count(used.readUnits, 1), count(used.writeUnits, 1), count(used.sqs, 1), count(used.logged)],
  ...[count(used.waited), count(used.worked, 1), count(billedMs(used, memoryMb))],
];

/** What each kind of run uses. */
export function runs(before: Measured, now: Measured): string[] {
  const kinds: [string, string, (of: Measured) => Used | null][] = [
    ['idle run over one process', 'poll', of => of.idlePass],
    ...SIZES.map(({ name, processes, workspaces }): [string, string, (of: Measured) => Used | null] => [
      `idle run over ${count(Math.min(25, processes / workspaces))} processes`,
      'poll',
      of => of.idleRuns?.[name].used ?? null,
    ]),
    ['run over 25 processes that meets an outage', 'poll', of => of.outage?.met ?? null],
    ['probe after a pause', 'poll', of => of.outage?.probe ?? null],
    ['a message for a pass that is not due', 'poll', of => of.dropped],
    ['a change, beside', 'poll', of => of.change],
    ['sweep', 'poll', of => of.sweep],
    ['baseline', 'poll', of => of.baseline],
    ...SIZES.map(({ name, processes }): [string, string, (of: Measured) => Used] => [
      `tick, ${count(processes)} processes`,
      'tick',
      of => of.tick[name],
    ]),
    ...(['publish', 'route', 'deliver'] as const).map((name): [string, string, (of: Measured) => Used] => [
      `${name}, one event`,
      name,
      of => of.delivering.busy[name].first,
    ]),
  ];
  const rows = kinds.flatMap(([what, name, of]) =>
    (
      [
        ['before', before],
        ['now', now],
      ] as const
    ).flatMap(([when, measured]) => {
      const used = of(measured);
      const memoryMb = measured.functions[name]?.memoryMb ?? 0;
      return used ? [[`${what}, ${when}`, ...shown(used, memoryMb), `${memoryMb}`]] : [];
    }),
  );
  return [
    '## What a run uses',
    '',
    'Counted, as the mean of several runs: requests to DynamoDB and their units, SQS requests that it makes itself, bytes of log with what Lambda writes; then ms in which it waits, ms of work on one whole processor, and what Lambda bills with the function’s memory (MB).',
    '',
    ...table(['', 'requests', 'read', 'write', 'SQS', 'log', 'waits', 'works', 'billed', 'memory'], rows),
  ];
}

/** What a cold start takes. */
export function starts(before: Measured, now: Measured): string[] {
  const rows = Object.entries(now.functions).map(([name, is]) => {
    const was = before.functions[name];
    const kilobytes = (bytes = 0) => count(bytes / 1000);
    return [
      name,
      ...[`${was?.memoryMb ?? ''}`, `${is.memoryMb}`],
      ...[kilobytes(was?.gzip), kilobytes(is.gzip), `${was?.initMs ?? ''}`, `${is.initMs}`],
    ];
  });
  return [
    'A cold start loads the bundle, which Lambda bills as well: kB of it, compressed with gzip, and ms of processor time until it is loaded.',
    '',
    ...table(['', 'memory, before', 'now', 'bundle, before', 'now', 'loaded, before', 'now'], rows),
  ];
}

/** How it is measured, and what is assumed. */
export function method(now: Measured): string[] {
  const latencies = Object.entries(LATENCY)
    .map(([party, ms]) => `${party} ${ms}`)
    .join(', ');
  const facts = now.stacks.busy;
  return [
    '## How it is counted',
    '',
    '- The stack is synthesised for each size, and its own bundles run, with the environment and the files that the stack gives them, each in a process of its own. Their AWS clients talk to one',
    '  address on this machine: DynamoDB behind it is an embedded one, which counts units by AWS’s rules; the others count what they are told. The service is the simulated one. Time between runs passes on the clock.',
    `- Every answer takes as long as stated: ms by party, ${latencies}. *Service* stands for receivers, too. Waiting is what these add up to; work is processor time, measured here (one core of an AMD EPYC`,
    '  counts as one processor of Lambda; with less memory than 1,769 MB a function gets as much less of it).',
    `- Alarms, dashboards, queues, schedules, mappings and memory are read off the template: in the second size ${facts.resources} resources, ${facts.alarms} alarms over ${facts.alarmMetrics} metrics, ${facts.dashboards.length} dashboards. Metrics are those that the runs wrote.`,
    `- Lambda receives from each queue with ${ASSUMED.pollers} pollers that wait ${ASSUMED.pollSeconds} s: ${count((ASSUMED.pollers * 730 * 3600) / ASSUMED.pollSeconds)} receives a month while nothing comes, fewer that find nothing where batches cut the waiting short. Each batch costs a receive`,
    '  and a delete. Batches hold one message where the mapping waits for no more: rather too dear than too cheap.',
    `- Assumed: a token of the service lives an hour; a function has ${ASSUMED.environments} environments for each that is busy all the time, and one more; each is made anew ${ASSUMED.startsPerDay} times a day, and its start is billed; logs are kept compressed to ${ASSUMED.compressed * 100} %.`,
    '- Left out: people’s own requests (console, Logs Insights), retries, endpoints that fail, native subscriptions (0.60 $ a million over HTTP), CloudFormation’s bucket of assets (some cents), bytes of TLS.',
    `- In the table a project of ${TASKS_PER_PROJECT} tasks takes ${count(now.projectBytes)} bytes, a change record ${count(now.changeBytes)}, an attempt ${count(now.attemptBytes)}.`,
    '',
  ];
}

/** Every price, with its source. */
export function priceTable(): string[] {
  const rows = Object.values(PRICES as Record<string, Price>).map(
    ({ service, unit, per, tiers, free, source, doubt }) => {
      const prices = tiers.map(({ upTo, dollars }) =>
        upTo === undefined ? `${dollars}` : `${dollars} up to ${count(upTo)}`,
      );
      return [
        `${service}: ${unit}`,
        `${prices.join('; ')} $${per === 1 ? '' : ` per ${count(per)}`}`,
        free === 0 ? '' : count(free),
        `${source}${doubt ? ` — ${doubt}` : ''}`,
      ];
    },
  );
  return [
    `## Prices of ${REGION}, looked up on ${LOOKED_UP}`,
    '',
    'They stand in `bench/cost/prices.ts` and nowhere else. Other regions are up to a quarter dearer (Frankfurt mostly by 10 to 20 %).',
    '',
    ...table(['', 'price', 'free each month', 'source'], rows, '---|'),
  ];
}
