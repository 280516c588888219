import { lowDiskText } from '../../functions/model/disk.ts';
import type { AnswerOf } from '../../functions/operations/protocol/answers.ts';
import type { ProcessStatus } from '../../functions/operations/protocol/status.ts';
import { showDuration } from '../../local/basics/duration.ts';
import { type Display, hint, paint, type Style, text } from './display.ts';
import { endpointsTable } from './endpoints.ts';
import { notes, table } from './table.ts';
import { since, when } from './times.ts';

/** The status; of a run with a console, also its address without the token. */
export interface Status extends AnswerOf<'status'> {
  readonly console?: string;
}

/** The status of all processes and endpoints, with notes on problems. */
export function statusText(status: Status, display: Display): string {
  const { isRunning, processes, endpoints, disk, console: address } = status;
  const place = status.deployment === 'run' ? 'This machine' : `Stack ${status.deployment}`;
  const head = isRunning
    ? paint(display, 'bold', text`${place}`)
    : `${paint(display, 'bold', text`${place}`)}  ${paint(display, 'yellow', 'Not running. Showing the state of the last run.')}`;
  const opened =
    address === undefined ? '' : text`\nConsole: ${address} (to open it: ${hint('console --open', display)})`;
  const low = disk?.isLow ? [paint(display, 'red', lowDiskText(disk))] : [];
  return [
    `${head}${opened}`,
    ...low,
    processes.length === 0 ? 'There are no processes yet.' : processTable(processes, display),
    ...(processes.some(hasRechecks) ? [recheckTable(processes, display)] : []),
    ...(endpoints.length === 0 ? [] : [endpointsTable(endpoints, display)]),
  ].join('\n\n');
}

const PROCESS = [
  { title: 'PROCESS', whole: true },
  { title: 'STATE' },
  { title: 'PROJECTS', optional: true },
  ...['LAST PASS', 'LAST SWEEP', 'EVERY', 'IN PROGRESS'].map(title => ({ title })),
];
const STATES: Record<ProcessStatus['state'], Style> = {
  unknown: 'yellow',
  baseline: 'cyan',
  stalled: 'red',
  failing: 'red',
  'on-hold': 'red',
  degraded: 'yellow',
  healthy: 'green',
  removed: 'dim',
};

function processTable(processes: readonly ProcessStatus[], display: Display): string {
  const rows = processes.map(one => [
    `${one.workspace}/${one.process}`,
    { text: one.state.replace('-', ' '), style: STATES[one.state] },
    one.projects === undefined ? '' : String(one.projects),
    one.completedAt === undefined ? 'never' : when(one.completedAt, display),
    one.sweptAt === undefined ? '' : when(one.sweptAt, display),
    one.interval === undefined ? '' : showDuration(one.interval),
    one.underWay.map(underWay).join(', '),
  ]);
  const shown = table(PROCESS, rows, display);
  return [
    shown,
    ...notes(
      processes.map(one => [`${one.workspace}/${one.process}`, notesOf(one, display)]),
      display,
    ),
  ].join('\n');
}

/** Whether to show projects that are still to be read. In a removed process they never will be. */
function hasRechecks({ state, rechecks }: ProcessStatus): boolean {
  return state !== 'removed' && rechecks.count > 0;
}

function underWay({ mode, progress }: ProcessStatus['underWay'][number]): string {
  return progress === undefined ? mode : `${mode}, at ${progress}`;
}

/** Problems of the process, and remedies. */
function notesOf(status: ProcessStatus, display: Display): string[] {
  const { process, state, hold, stalledSince, failure, pausedUntil } = status;
  if (state === 'removed')
    return [
      `no longer configured; add it again to continue from here. To delete its data: ${hint(`forget ${process}`, display)}`,
    ];
  return [
    ...(stalledSince === undefined ? [] : [`no pass has completed ${since(stalledSince, display)}`]),
    ...(failure === undefined
      ? []
      : [`passes have been failing ${since(failure.since, display)}: ${failure.reason}`]),
    ...(pausedUntil === undefined
      ? []
      : [`its workspace is paused; next request ${when(pausedUntil, display)}`]),
    ...(hold?.isReleased
      ? [`deletions of ${hold.projects} projects are approved; the next sweep publishes them`]
      : []),
    ...(hold && !hold.isReleased
      ? [
          `on hold ${since(hold.since, display)}: ${hold.projects} projects disappeared at once. If they were really deleted: ${hint(`release ${process}`, display)}`,
        ]
      : []),
  ];
}

/** Causes of rechecks that are reported to subscribers if they persist. */
const UNREAD: ReadonlySet<string> = new Set(['unreadable', 'no-task-list']);

function recheckTable(processes: readonly ProcessStatus[], display: Display): string {
  const rows = processes
    .filter(hasRechecks)
    .flatMap(({ workspace, process, rechecks: { count, first } }) => [
      ...first.map(({ project, since, cause, reason, isSkipped }) => [
        `${workspace}/${process}`,
        project,
        since === undefined ? 'never read' : when(since, display),
        isSkipped ? 'yes' : UNREAD.has(cause) ? 'not yet' : '',
        reason,
      ]),
      ...(count > first.length
        ? [[`${workspace}/${process}`, `… ${count - first.length} more`, '', '', '']]
        : []),
    ]);
  return table(
    [
      { title: 'PENDING IN' },
      { title: 'PROJECT', whole: true },
      { title: 'REPORTED UP TO' },
      { title: 'SKIPPED' },
      { title: 'REASON' },
    ],
    rows,
    display,
  );
}
