import { billOf, byService, type Line, type Total, totalOf } from './bill.ts';
import { halving } from './halving.ts';
import { type Cost, choices } from './intervals.ts';
import type { Measured } from './measure.ts';
import { ASSUMED, monthOf, monthWithOutage, slowed, sumOf } from './month.ts';
import { method, priceTable, runs, starts } from './page-details.ts';
import { count, money, table } from './page-format.ts';
import { LOOKED_UP, REGION } from './prices.ts';
import { SIZES, type Size, SWEEP, TASKS_PER_PROJECT } from './sizes.ts';

/** The most dollars a month that a stack of a size may cost, after what is free. */
const GOALS: Record<Size['name'], number> = { idle: 2.2, busy: 11, large: 650 };
/** How many times these goals it may cost where the service is further away. */
const MAX_SLOWED = 1.4;

/** `docs/cost.md`, from the measurements of two checkouts. */
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
    const away = totalOf(linesOf(slowed(now), size)).dollars;
    const stacks = Math.ceil(size.processes / before.stacks[size.name].processes);
    return [
      `${size.title}${stacks > 1 ? ` (before: ${stacks} stacks)` : ''}`,
      ...[money(was.dollars), `**${money(is.dollars)}**`, `≤ ${GOALS[size.name]} $`],
      ...(now.slow
        ? [`${money(away)} (× ${count(away / is.dollars, 2)})`, `≤ ${money(MAX_SLOWED * GOALS[size.name])}`]
        : []),
      ...[money(was.withoutFree), money(is.withoutFree)],
    ];
  });
  const outages = SIZES.flatMap(size => {
    const usage = monthWithOutage(now, size);
    if (!usage) return [];
    const [ordinary, other] = [totalOf(linesOf(now, size)), totalOf(billOf(usage))];
    const days = ['dollars', 'withoutFree'] as const;
    return [
      [
        `${count(size.processes)} processes`,
        ...days.flatMap(of => {
          const day = ordinary[of] / ASSUMED.daysPerMonth;
          return [money(day), `**${money(day + other[of] - ordinary[of])}**`];
        }),
      ],
    ];
  });
  return [
    '## A month',
    '',
    ...table(
      [
        ...['', 'before', 'now', 'goal'],
        ...(now.slow ? [`now, service at ${now.slow.latency} ms`, 'goal'] : []),
        ...['before, without what is free', 'now, without what is free'],
      ],
      rows,
    ),
    ...(outages.length > 0
      ? [
          'A day in which the service of all workspaces answers nothing, beside an ordinary day of the same month:',
          '',
          ...table(
            [
              '',
              ...['an ordinary day', 'that day'],
              ...['an ordinary day, without what is free', 'that day, without what is free'],
            ],
            outages,
          ),
        ]
      : []),
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
