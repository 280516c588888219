import type { Mismatch } from '../../functions/operations/verify/checker.ts';
import type { Verified } from '../../functions/operations/verify/walk.ts';
import { type Display, paint, text } from './display.ts';
import { table } from './table.ts';

const COLUMNS = [
  { title: 'PROCESS', whole: true },
  { title: 'EVENTS' },
  { title: 'FIELDS' },
  { title: 'PROJECTS' },
  { title: 'RESULT', whole: true },
];

/** Mismatches that are shown of a process; JSON has all. */
const MAX_SHOWN = 10;

/** A table of the processes, and the first mismatches of each. */
export function verifiedText(all: readonly Verified[], display: Display): string {
  if (all.length === 0) return 'There are no processes to verify.';
  const rows = all.map(({ workspace, process, events, fields, projects, ...one }) => [
    `${workspace}/${process}`,
    ...[events, fields, projects].map(String),
    resultOf(one),
  ]);
  return [table(COLUMNS, rows, display), ...all.flatMap(one => mismatchesOf(one, display))].join('\n');
}

function resultOf({
  isBaselined,
  unsettled,
  mismatches,
}: Pick<Verified, 'isBaselined' | 'unsettled' | 'mismatches'>) {
  if (mismatches.length > 0) return { text: `${mismatches.length} mismatches`, style: 'red' as const };
  if (!isBaselined) return { text: 'no baseline yet', style: 'yellow' as const };
  if (unsettled > 0)
    return { text: `${unsettled} projects change too often to compare`, style: 'yellow' as const };
  return { text: 'ok', style: 'green' as const };
}

function mismatchesOf({ workspace, process, mismatches }: Verified, display: Display): string[] {
  if (mismatches.length === 0) return [];
  const more = mismatches.length - MAX_SHOWN;
  return [
    '',
    paint(display, 'bold', text`${workspace}/${process}`),
    ...mismatches.slice(0, MAX_SHOWN).map(mismatchText),
    ...(more > 0 ? [`  ${more} more; use --json to list them`] : []),
  ];
}

function mismatchText({ record, field, expected, found, after, event }: Mismatch): string {
  const name = field === undefined ? text`  ${record}` : text`  ${record}, ${field}`;
  const other =
    event === undefined ? text`the snapshot has ${found}` : text`event ${event} has from ${found}`;
  return [`${name}:`, text`    event ${after} left ${expected}`, `    ${other}`].join('\n');
}
