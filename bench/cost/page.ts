import { billOf, byService, type Line, type Total, totalOf } from './bill.ts';
import { halving } from './halving.ts';
import { type Cost, choices } from './intervals.ts';
import type { Measured } from './measure.ts';
import { ASSUMED, monthOf, sumOf } from './month.ts';
import { LOOKED_UP, PRICES, type Price, REGION } from './prices.ts';
import { SIZES, type Size, SWEEP, TASKS_PER_PROJECT } from './sizes.ts';
import { billedMs, LATENCY, type Used } from './used.ts';

/** Dollars a month that a stack of a size may cost, with what is free. */
const GOALS: Partial<Record<Size['name'], number>> = { idle: 3, busy: 40 };

/** `docs/cost.md`, from what the two checkouts were seen to use. */
export function costPage(before: Measured, now: Measured): string {
  const parts = [
    ...head(before, now),
    ...totals(before, now),
    ...SIZES.flatMap(size => services(size, before, now)),
    ...dearest(now),
    ...intervals(now),
    ...runs(before, now),
    ...starts(before, now),
    ...method(now),
    ...priceTable(),
  ];
  return `${parts.join('\n')}\n`;
}

const linesOf = (measured: Measured, size: Size) => billOf(sumOf(monthOf(measured, size)));

/** `12.34 $`; from a hundred on without cents. */
export function money(dollars: number): string {
  if (dollars > 0 && dollars < 0.005) return '< 0.01 $';
  return `${count(dollars, dollars < 100 ? 2 : 0)} $`;
}

function count(value: number, digits = 0): string {
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

function table(headings: readonly string[], rows: readonly (readonly string[])[], align = '---:|'): string[] {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(headings), `|---|${align.repeat(headings.length - 1)}`, ...rows.map(line), ''];
}

function head(before: Measured, now: Measured): string[] {
  return [
    '# What it costs on AWS',
    '',
    `\`npm run cost\` prints this page; \`npm run cost -- --measure --write\` measures anew and writes it. Measured on ${now.date}, with the prices of ${REGION} of ${LOOKED_UP}.`,
    `*Before* is commit ${before.commit}, measured in the same way on ${before.date}: a schedule, 11 metrics and 5 alarms for each process.`,
    '',
    `A month has 730 hours. Each process has ${count(SIZES[1]?.projects ?? 0)} projects of ${TASKS_PER_PROJECT} tasks; a \`changes\` pass runs each minute, a sweep every ${SWEEP.seconds / 3600} hours.`,
    'A change is one task that somebody edits: one event. Every event goes to three endpoints, signed webhooks. In the third size 400,000 changes a day are assumed: 100 a process, as in the second.',
    '*With what is free* counts what AWS gives every account each month, for ever (nothing of an account’s first year). Taxes and support plans are left out.',
    '',
  ];
}

function totals(before: Measured, now: Measured): string[] {
  const rows = SIZES.map(size => {
    const [was, is] = [totalOf(linesOf(before, size)), totalOf(linesOf(now, size))];
    const goal = GOALS[size.name];
    const stacks = Math.ceil(size.processes / before.stacks[size.name].processes);
    return [
      `${size.title}${stacks > 1 ? ` (before: ${stacks} stacks)` : ''}`,
      ...[money(was.dollars), `**${money(is.dollars)}**`, goal === undefined ? '' : `< ${goal} $`],
      ...[money(was.withoutFree), money(is.withoutFree)],
    ];
  });
  return [
    '## A month',
    '',
    ...table(
      ['', 'before', 'now', 'goal', 'before, without what is free', 'now, without what is free'],
      rows,
    ),
  ];
}

function services(size: Size, before: Measured, now: Measured): string[] {
  const was = new Map(byService(linesOf(before, size)).map(each => [each.service, each]));
  const none: Total = { dollars: 0, withoutFree: 0 };
  const rows = byService(linesOf(now, size)).flatMap(({ service, ...is }) => {
    const old = was.get(service) ?? none;
    if (old.withoutFree === 0 && is.withoutFree === 0) return [];
    return [[service, money(old.dollars), money(is.dollars), money(old.withoutFree), money(is.withoutFree)]];
  });
  return [
    `### ${size.title}`,
    '',
    ...table(['', 'before', 'now', 'before, without what is free', 'now, without what is free'], rows),
  ];
}

/** The three largest items of the largest size. */
function dearest(now: Measured): string[] {
  const size = SIZES.at(-1) as Size;
  const items = monthOf(now, size)
    .flatMap(({ cause, usage }) => billOf(usage).map(line => ({ ...line, cause })))
    .toSorted((one, other) => other.withoutFree - one.withoutFree)
    .slice(0, 3);
  const total = totalOf(linesOf(now, size)).withoutFree;
  const share = ({ withoutFree }: Line) => `${Math.round((100 * withoutFree) / total)} %`;
  return [
    '## What is dearest in the third size, and what would halve it',
    '',
    ...items.map(
      (line, index) =>
        `${index + 1}. **${line.cause}: ${line.service}, ${line.unit}** — ${money(line.withoutFree)} (${share(line)}). ${halving(line.cause, line.item)}`,
    ),
    '',
  ];
}

function intervals(now: Measured): string[] {
  const age = ({ age: seconds }: Cost) => `${count(seconds, seconds < 10 ? 1 : 0)} s`;
  const rows = choices(now).map(({ text, idle, evenly, atWork }) => [
    `\`${text}\``,
    ...[count(idle.passes), money(idle.dollars)],
    ...[evenly, atWork].flatMap(cost => [count(cost.passes), money(cost.dollars), age(cost)]),
  ]);
  return [
    '## What an interval costs',
    '',
    'One process, for a month, in a stack that has used up what is free: its `changes` passes alone, and what they find. *Evenly*: 100 changes a day, one each quarter of an hour.',
    '*At work*: the same 100 in five stretches of 20 minutes. *Age*: how long ago a change was made, on average, when the pass begins that finds it.',
    '',
    ...table(
      [
        '`changes`',
        'idle: passes',
        'dollars',
        'evenly: passes',
        'dollars',
        'age',
        'at work: passes',
        'dollars',
        'age',
      ],
      rows,
    ),
    'An adaptive interval is for processes that are left alone most of the time: while people work on one it is soon looked at as often as `fastest` says, at other times as seldom as `slowest` says. Where changes come',
    'one by one it brings nothing: the first change after a silence is as old as with `slowest`. It sends messages for passes that turn out not to be due, too.',
    '',
  ];
}

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

function runs(before: Measured, now: Measured): string[] {
  const kinds: [string, string, (of: Measured) => Used | null][] = [
    ['idle pass', 'poll', of => of.idlePass],
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

function starts(before: Measured, now: Measured): string[] {
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

function method(now: Measured): string[] {
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

function priceTable(): string[] {
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
