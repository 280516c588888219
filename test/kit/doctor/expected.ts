import type { Freedoms } from '../../../simulator/data/freedoms.ts';

type Expected = readonly [topic: string, found: RegExp];

const identity = ({ projectIdProperty, taskIdProperty, numericIds }: Freedoms): Expected[] => [
  ['project identifiers', new RegExp(`^${projectIdProperty} .*: ${numericIds ? 'numbers' : 'texts'}`)],
  ['task identifiers', new RegExp(`^${taskIdProperty} .*: ${numericIds ? 'numbers' : 'texts'}`)],
];

const answers = (freedoms: Freedoms): Expected[] => [
  ['list of tasks', new RegExp(`It is ${freedoms.taskListName}\\.`)],
  ['list of users', new RegExp(`It is ${freedoms.userListName}\\.`)],
  [
    'token life',
    new RegExp(
      `lives ${freedoms.tokenLifetime} s, as told by ${freedoms.expiresIn ? 'expires_in' : 'its own exp'}`,
    ),
  ],
  ['clock', freedoms.dateHeader ? /agrees/ : /do not tell/],
  ['definitions of task fields', freedoms.definitionShape === 'list' ? /one list/ : /groups/],
  ['empty pages', freedoms.emptyPageCursors === 'null' ? /are null/ : /all the same/],
  ['page size of projects', pageSize(freedoms)],
  ['projects that come twice', /None/],
  ['tasks that come twice', /None/],
  ['fields that change by themselves', /None/],
  ['rate limits', /None/],
];

function pageSize({ maxPageSize, maxResponseBytes, tooLargeStatus }: Freedoms): RegExp {
  const fails = new RegExp(`fails \\(${tooLargeStatus}\\)`);
  if (maxResponseBytes === 1_200)
    return maxPageSize === 5 ? new RegExp(`${fails.source}|at most 5, though`) : fails;
  return maxPageSize === 5 ? /at most 5, though/ : /Pages of 200 work/;
}

function times(freedoms: Freedoms): Expected[] {
  const { recordTimestamps, updateTimeName, timestampResolution, taskEditsTouchProject } = freedoms;
  const { listOrder, updatesVisibleAfter, updatedAfterInclusive, cursors } = freedoms;
  if (!recordTimestamps)
    return [
      ['update times', /do not say/],
      ['task edits', /Nothing shows/],
      ['order of projects', /Too few/],
      ['updatedAfter at the very time', /Nothing tells/],
    ];
  return [
    ['update times', updateTimeName === 'updatedAt' ? /in updatedAt\./ : new RegExp(`^${updateTimeName}: `)],
    ['updatedAfter', /It works/],
    ['resolution of update times', { 1: /milliseconds/, 1000: / 1 s/ }[timestampResolution] ?? / 60 s/],
    [
      'task edits',
      taskEditsTouchProject
        ? // Equal minutes do not show one edit.
          timestampResolution === 60_000
          ? /Nothing shows/
          : /seem to move/
        : seesTaskEdits(freedoms)
          ? /do not move/
          : /do not move|Nothing shows/,
    ],
    [
      'order of projects',
      { made: /does not follow/ }[listOrder as 'made'] ?? new RegExp(listOrder.slice(0, 6)),
    ],
    ['updatedAfter at the very time', updatedAfterInclusive ? /inclusive/ : /exclusive/],
    [
      'updatedAfter shows updates',
      updatesVisibleAfter === 0 ? /shown within/ : /shown late|shown within 5\d s/,
    ],
    // An update that isn't shown yet is lacking behind a cursor, too.
    [
      'cursors',
      updatesVisibleAfter === 0
        ? cursorsMean(cursors)
        : new RegExp(`${cursorsMean(cursors).source}|can not be`),
    ],
  ];
}

/** Where neither the order of the list nor the audit log leads to the projects whose tasks were edited, it may see none of them. */
const seesTaskEdits = ({ listOrder, auditDenied, auditVisibleAfter }: Freedoms): boolean =>
  listOrder === 'made' || (auditDenied === false && auditVisibleAfter === 0);

const cursorsMean = (cursors: Freedoms['cursors']): RegExp =>
  cursors === 'item' ? /point at/ : /count items/;

/** Where the entries of each shape name projects. */
const NAMING: Record<Freedoms['auditShape'], RegExp> = {
  nested: /^details\.context\.projectId/,
  flat: /^projectId/,
  reference: /^target/,
  several: /^details\.context\.projectId/,
};

function audit(freedoms: Freedoms): Expected[] {
  const { auditDenied, auditListName, auditTimestamps, auditOrder, auditRetention, tasksOfDeletedProject } =
    freedoms;
  const gone = tasksOfDeletedProject === 200 ? /no 404/ : /answers 404/;
  if (auditDenied !== false) return [['audit log', new RegExp(`denied \\(${auditDenied}\\)`)]];
  const few = auditRetention === 6 && freedoms.auditVisibleAfter > 0;
  return [
    ['list of the audit log', new RegExp(`It is ${auditListName}\\.`)],
    ['audit log', /can be read/],
    ['audit log times', auditTimestamps ? /in timestamp/ : /do not tell/],
    [
      'audit log order',
      auditTimestamps && !few ? new RegExp(auditOrder.replace('-', ' ')) : /Too few|no time/,
    ],
    ['audit log names projects', NAMING[freedoms.auditShape]],
    ['audit log names users', auditTimestamps ? /name a user and a time/ : /have no time/],
    ['deleted projects', auditRetention === 6 ? /Nothing names/ : gone],
    ...(auditTimestamps && freedoms.recordTimestamps ? auditTimes(freedoms) : []),
  ];
}

const auditTimes = ({ auditRetention, auditVisibleAfter }: Freedoms): Expected[] => [
  ['audit log keeps', auditRetention === 6 ? /are gone/ : /Nothing shows/],
  ['audit log shows edits', auditVisibleAfter > 0 ? /no entry of/ : /an entry of/],
];

/** What a doctor finds of a service with these freedoms. */
export const expectedOf = (freedoms: Freedoms): Expected[] =>
  [identity, answers, times, audit].flatMap(each => each(freedoms));
