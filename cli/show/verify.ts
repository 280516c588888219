import { counted } from '../../functions/doctor/finding.ts';
import type { Mismatch } from '../../functions/operations/verify/checker.ts';
import type { Verified } from '../../functions/operations/verify/walk.ts';
import type { ServiceCompared } from '../../functions/operations/verify/walk-service.ts';
import type { verifyDeliveries } from '../../functions/operations/walk-deliveries.ts';
import { type Display, paint, text } from './display.ts';
import { table } from './table.ts';

const COLUMNS = [
  { title: 'PROCESS', whole: true },
  { title: 'EVENTS' },
  { title: 'FIELDS' },
  { title: 'PROJECTS' },
  { title: 'DELIVERIES' },
  { title: 'SERVICE' },
  { title: 'RESULT', whole: true },
];

/** What was found of a process. */
export interface Result extends Verified {
  readonly deliveries: Awaited<ReturnType<typeof verifyDeliveries>>;
  /** Only with `--service`. */
  readonly service?: ServiceCompared;
}

/** The number of values that differ and of missing deliveries. */
export const mismatchesIn = ({ mismatches, deliveries, service }: Result): number =>
  mismatches.length + deliveries.missing.length + (service?.differences.length ?? 0);

/** Mismatches that are shown of a process; JSON has all. */
const MAX_SHOWN = 10;

/** A table of the processes, and the first mismatches of each. */
export function verifiedText(all: readonly Result[], display: Display): string {
  if (all.length === 0) return 'There are no processes to verify.';
  const rows = all.map(one => [
    `${one.workspace}/${one.process}`,
    ...[one.events, one.fields, one.projects].map(String),
    deliveriesOf(one),
    one.service ? counted(one.service.projects, 'project') : '',
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
  const unreadable = one.service?.unreadable.length ?? 0;
  if (unreadable > 0)
    return { text: `${counted(unreadable, 'project')} could not be compared`, style: 'yellow' as const };
  if (unsettled + (one.service?.unsettled ?? 0) > 0)
    return {
      text: `${counted(unsettled + (one.service?.unsettled ?? 0), 'project')} changing too often to compare`,
      style: 'yellow' as const,
    };
  return { text: 'ok', style: 'green' as const };
}

function mismatchesOf(one: Result, display: Display): string[] {
  const { workspace, process, mismatches, deliveries, service } = one;
  const lines = [
    ...mismatches.map(mismatchText),
    ...deliveries.missing.map(
      ({ event, endpoint }) => text`  ${event}: no trace of its delivery to ${endpoint}`,
    ),
    ...(service?.differences ?? []).map(differenceText),
    ...(service?.unreadable ?? []).map(({ project, reason }) => text`  project ${project}: ${reason}`),
  ];
  if (lines.length === 0) return [];
  const more = lines.length - MAX_SHOWN;
  return [
    '',
    paint(display, 'bold', text`${workspace}/${process}`),
    ...lines.slice(0, MAX_SHOWN),
    ...(more > 0 ? [`  ${more} more; use --json to list them`] : []),
    ...(service?.differences.length ? [text`  "changewire sweep ${process}" reads all of it now.`] : []),
  ];
}

type Difference = ServiceCompared['differences'][number];

function differenceText({ record, field, service, snapshot }: Difference): string {
  const name = field === undefined ? text`  ${record}` : text`  ${record}, ${field}`;
  return [`${name}:`, text`    in the service: ${service}, in the snapshot: ${snapshot}`].join('\n');
}

function mismatchText({ record, field, expected, found, after, event }: Mismatch): string {
  const name = field === undefined ? text`  ${record}` : text`  ${record}, ${field}`;
  const other =
    event === undefined ? text`the snapshot has ${found}` : text`event ${event} has from ${found}`;
  return [`${name}:`, text`    event ${after} left ${expected}`, `    ${other}`].join('\n');
}
