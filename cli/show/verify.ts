import type { Mismatch } from '../../functions/operations/verify/checker.ts';
import type { Verified } from '../../functions/operations/verify/walk.ts';
import type { DeliveriesByState } from '../../functions/operations/walk-deliveries.ts';
import { type Display, paint, text } from './display.ts';
import { table } from './table.ts';

const COLUMNS = [
  { title: 'PROCESS', whole: true },
  { title: 'EVENTS' },
  { title: 'FIELDS' },
  { title: 'PROJECTS' },
  { title: 'DELIVERIES' },
  { title: 'RESULT', whole: true },
];

/** What was found of a process. */
export interface Result extends Verified {
  readonly deliveries: DeliveriesByState;
}

/** The number of values that differ and of missing deliveries. */
export const mismatchesIn = ({ mismatches, deliveries }: Result): number =>
  mismatches.length + deliveries.missing.length;

/** Mismatches that are shown of a process; JSON has all. */
const MAX_SHOWN = 10;

/** A table of the processes, and the first mismatches of each. */
export function verifiedText(all: readonly Result[], display: Display): string {
  if (all.length === 0) return 'There are no processes to verify.';
  const rows = all.map(one => [
    `${one.workspace}/${one.process}`,
    ...[one.events, one.fields, one.projects].map(String),
    deliveriesOf(one),
    resultOf(one),
  ]);
  return [table(COLUMNS, rows, display), ...all.flatMap(one => mismatchesOf(one, display))].join('\n');
}

function deliveriesOf({ deliveries }: Result): string {
  const states = ['delivered', 'waiting', 'dead', 'unknown'] as const;
  return states.flatMap(state => (deliveries[state] > 0 ? [`${deliveries[state]} ${state}`] : [])).join(', ');
}

function resultOf(one: Result) {
  const { isBaselined, unsettled } = one;
  const count = mismatchesIn(one);
  if (count > 0) return { text: count === 1 ? '1 mismatch' : `${count} mismatches`, style: 'red' as const };
  if (!isBaselined) return { text: 'no baseline yet', style: 'yellow' as const };
  if (unsettled > 0)
    return { text: `${unsettled} projects change too often to compare`, style: 'yellow' as const };
  return { text: 'ok', style: 'green' as const };
}

function mismatchesOf(one: Result, display: Display): string[] {
  const { workspace, process, mismatches, deliveries } = one;
  const lines = [
    ...mismatches.map(mismatchText),
    ...deliveries.missing.map(
      ({ event, endpoint }) => text`  ${event}: no trace of its delivery to ${endpoint}`,
    ),
  ];
  if (lines.length === 0) return [];
  const more = lines.length - MAX_SHOWN;
  return [
    '',
    paint(display, 'bold', text`${workspace}/${process}`),
    ...lines.slice(0, MAX_SHOWN),
    ...(more > 0 ? [`  ${more} more; use --json to list them`] : []),
  ];
}

function mismatchText({ record, field, expected, found, after, event }: Mismatch): string {
  const name = field === undefined ? text`  ${record}` : text`  ${record}, ${field}`;
  const other =
    event === undefined ? text`the snapshot has ${found}` : text`event ${event} has from ${found}`;
  return [`${name}:`, text`    event ${after} left ${expected}`, `    ${other}`].join('\n');
}
