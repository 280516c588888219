import type { AnswerOf } from '../../functions/operations/protocol/answers.ts';
import type { ProcessStatus } from '../../functions/operations/protocol/status.ts';
import { showDuration } from '../../local/basics/duration.ts';
import { endpointsTable } from './endpoints.ts';
import { type Paper, paint, type Style, text } from './paper.ts';
import { notes, table } from './table.ts';
import { since, when } from './times.ts';

/** The status of all processes and endpoints, with notes on problems. */
export function statusText(status: AnswerOf<'status'>, paper: Paper): string {
  const { isRunning, processes, endpoints } = status;
  const place = status.deployment === 'run' ? 'This machine' : `Stack ${status.deployment}`;
  const head = isRunning
    ? paint(paper, 'bold', text`${place}`)
    : `${paint(paper, 'bold', text`${place}`)}  ${paint(paper, 'yellow', 'Not running. Showing the state of the last run.')}`;
  return [
    head,
    processes.length === 0 ? 'There are no processes yet.' : processTable(processes, paper),
    ...(processes.some(hasRechecks) ? [recheckTable(processes, paper)] : []),
    ...(endpoints.length === 0 ? [] : [endpointsTable(endpoints, paper)]),
  ].join('\n\n');
}

const PROCESS = ['PROCESS', 'STATE', 'LAST PASS', 'LAST SWEEP', 'EVERY', 'IN PROGRESS'];
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

function processTable(processes: readonly ProcessStatus[], paper: Paper): string {
  const rows = processes.map(one => [
    `${one.workspace}/${one.process}`,
    { text: one.state.replace('-', ' '), style: STATES[one.state] },
    one.completedAt === undefined ? 'never' : when(one.completedAt, paper),
    one.sweptAt === undefined ? '' : when(one.sweptAt, paper),
    one.interval === undefined ? '' : showDuration(one.interval),
    one.underWay.map(underWay).join(', '),
  ]);
  const shown = table(
    PROCESS.map(title => ({ title, whole: title === 'PROCESS' })),
    rows,
    paper,
  );
  return [
    shown,
    ...notes(
      processes.map(one => [`${one.workspace}/${one.process}`, notesOf(one, paper)]),
      paper,
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
function notesOf(status: ProcessStatus, paper: Paper): string[] {
  const { process, state, hold, stalledSince, failure, pausedUntil } = status;
  if (state === 'removed')
    return [
      `no longer configured; add it again to continue from here. To delete its data: npx changewire forget ${process}`,
    ];
  return [
    ...(stalledSince === undefined ? [] : [`no pass has completed ${since(stalledSince, paper)}`]),
    ...(failure === undefined
      ? []
      : [`passes have been failing ${since(failure.since, paper)}: ${failure.reason}`]),
    ...(pausedUntil === undefined
      ? []
      : [`its workspace is paused; next request ${when(pausedUntil, paper)}`]),
    ...(hold?.isReleased
      ? [`deletions of ${hold.projects} projects are approved; the next sweep publishes them`]
      : []),
    ...(hold && !hold.isReleased
      ? [
          `on hold ${since(hold.since, paper)}: ${hold.projects} projects disappeared at once. If they were really deleted: npx changewire release ${process}`,
        ]
      : []),
  ];
}

/** Causes of rechecks that are reported to subscribers if they persist. */
const UNREAD: ReadonlySet<string> = new Set(['unreadable', 'no-task-list']);

function recheckTable(processes: readonly ProcessStatus[], paper: Paper): string {
  const rows = processes
    .filter(hasRechecks)
    .flatMap(({ workspace, process, rechecks: { count, first } }) => [
      ...first.map(({ project, since, cause, reason, isSkipped }) => [
        `${workspace}/${process}`,
        project,
        since === undefined ? 'never read' : when(since, paper),
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
    paper,
  );
}
