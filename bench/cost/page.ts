import { billOf, byService, type Line, totalOf } from './bill.ts';
import { halving } from './halving.ts';
import { type Cost, choices } from './intervals.ts';
import type { Measured } from './measure.ts';
import { ASSUMED, monthOf, monthWithOutage, slowed, sumOf } from './month.ts';
import { method, runs } from './page-details.ts';
import { count, money, table } from './page-format.ts';
import { LOOKED_UP, REGION } from './prices.ts';
import { SIZES, type Size, SWEEP, TASKS_PER_PROJECT } from './sizes.ts';

/** The maximum of dollars a month for a stack of a size, after AWS's free usage. */
const GOALS: Record<Size['name'], number> = { idle: 2.2, busy: 11, large: 650 };
/** The goal for a slower service, as a multiple. */
const SLOWED_GOAL = 1.4;

/** `docs/cost.md`, from a measurement. */
export function costPage(measured: Measured): string {
  const parts = [
    ...head(measured),
    ...totals(measured),
    ...outages(measured),
    ...services(measured),
    ...largest(measured),
    ...intervals(measured),
    ...runs(measured),
    ...method(measured),
  ];
  return `${parts.join('\n').trimEnd()}\n`;
}

const linesOf = (measured: Measured, size: Size) => billOf(sumOf(monthOf(measured, size)));

function head({ date }: Measured): string[] {
  return [
    '# What it costs on AWS',
    '',
    '```sh',
    'npm run cost                          # prints this page, in a checkout',
    'npm run cost -- --measure --write     # measures again, and writes it',
    '```',
    '',
    `Computed for ${REGION} with the prices of ${LOOKED_UP}, from runs of the stack's functions measured on ${date}. Other regions cost up to a quarter more.`,
    `Each process has ${count(SIZES[1]?.projects ?? 0)} projects of ${TASKS_PER_PROJECT} tasks, a \`changes\` pass each minute and a sweep every ${SWEEP.seconds / 3600} hours. A change is an edit of one task: one event for three signed webhooks.`,
    'AWS gives every account the free usage each month, permanently. Taxes and support are not included.',
    '',
  ];
}

function totals(measured: Measured): string[] {
  const { slow } = measured;
  const rows = SIZES.map(size => {
    const total = totalOf(linesOf(measured, size));
    const away = totalOf(linesOf(slowed(measured), size)).dollars;
    return [
      size.title,
      ...[`**${money(total.dollars)}**`, `≤ ${GOALS[size.name]} $`],
      ...(slow ? [money(away), `≤ ${money(SLOWED_GOAL * GOALS[size.name])}`] : []),
      money(total.withoutFree),
    ];
  });
  return [
    '## A month',
    '',
    ...table(
      [
        ...['', 'total', 'goal'],
        ...(slow ? [`service answers in ${slow.latency} ms`, 'goal'] : []),
        'without free usage',
      ],
      rows,
    ),
  ];
}

function outages(measured: Measured): string[] {
  const rows = SIZES.flatMap(size => {
    const usage = monthWithOutage(measured, size);
    if (!usage) return [];
    const [ordinary, other] = [totalOf(linesOf(measured, size)), totalOf(billOf(usage))];
    const day = ordinary.dollars / ASSUMED.daysPerMonth;
    const that = money(day + other.dollars - ordinary.dollars);
    return [`${that} instead of ${money(day)} for ${count(size.processes)} processes`];
  });
  if (rows.length === 0) return [];
  return [`A day on which the service of all workspaces does not answer costs less: ${rows.join(', ')}.`, ''];
}

/** The bill of each size by service, after the free usage. */
function services(measured: Measured): string[] {
  const bills = SIZES.map(
    size => new Map(byService(linesOf(measured, size)).map(({ service, dollars }) => [service, dollars])),
  );
  const names = [...new Set(bills.toReversed().flatMap(bill => [...bill.keys()]))];
  const rows = names
    .filter(name => bills.some(bill => (bill.get(name) ?? 0) > 0))
    .map(name => [name, ...bills.map(bill => money(bill.get(name) ?? 0))]);
  return ['## By AWS service', '', ...table(['', ...SIZES.map(size => count(size.processes))], rows)];
}

/** The three largest items of the largest size. */
function largest(measured: Measured): string[] {
  const size = SIZES.at(-1) as Size;
  const items = monthOf(measured, size)
    .flatMap(({ cause, usage }) => billOf(usage).map(line => ({ ...line, cause })))
    .toSorted((one, other) => other.withoutFree - one.withoutFree)
    .slice(0, 3);
  const total = totalOf(linesOf(measured, size)).withoutFree;
  const share = ({ withoutFree }: Line) => `${Math.round((100 * withoutFree) / total)} %`;
  return [
    'The largest items of the third size:',
    '',
    ...items.map(
      (line, index) =>
        `${index + 1}. **${line.cause}: ${line.service}, ${line.unit}**: ${money(line.withoutFree)} (${share(line)}). ${halving(line.cause, line.item)}`,
    ),
    '',
  ];
}

function intervals(measured: Measured): string[] {
  const age = ({ age: seconds }: Cost) => `${count(seconds, seconds < 10 ? 1 : 0)} s`;
  const rows = choices(measured).map(({ text, idle, evenly, atWork }) => [
    `\`${text}\``,
    ...[count(idle.passes), money(idle.dollars)],
    ...[evenly, atWork].flatMap(cost => [count(cost.passes), money(cost.dollars), age(cost)]),
  ]);
  return [
    '## What an interval costs',
    '',
    'The `changes` passes of one process, per month, without free usage: with 100 changes a day at equal distances (*evenly*) or in five periods of 20 minutes (*at work*).',
    '*Age*: the mean time from a change to the pass that finds it.',
    '',
    ...table(
      [
        '`changes`',
        ...['idle: passes', 'cost'],
        ...['evenly: passes', 'cost', 'age'],
        ...['at work: passes', 'cost', 'age'],
      ],
      rows,
    ),
    'An adaptive interval suits processes that are mostly idle. The first change after an idle time is found as late as with `slowest`.',
    '',
  ];
}
