import type { Freedoms } from '../../../simulator/data/freedoms.ts';

type Expected = readonly [topic: string, found: RegExp];

const identity = ({ projectIdProperty, taskIdProperty, numericIds }: Freedoms): Expected[] => [
  [
    'project identifiers',
    new RegExp(`identified by ${projectIdProperty} \\(${numericIds ? 'numbers' : 'strings'}`),
  ],
  [
    'task identifiers',
    new RegExp(`identified by ${taskIdProperty} \\(${numericIds ? 'numbers' : 'strings'}`),
  ],
];

const answers = (freedoms: Freedoms): Expected[] => [
  ['list of tasks', new RegExp(`^Found under ${freedoms.taskListName}\\.`)],
  ['list of users', new RegExp(`^Found under ${freedoms.userListName}\\.`)],
  [
    'token life',
    new RegExp(
      `valid for ${freedoms.tokenLifetime} s, according to ${freedoms.expiresIn ? 'expires_in' : 'its own exp'}`,
    ),
  ],
  ['clock', freedoms.dateHeader ? /agrees/ : /no usable Date header/],
  ['definitions of task fields', freedoms.definitionShape === 'list' ? /one list/ : /groups/],
  ['empty pages', freedoms.emptyPageCursors === 'null' ? /are null/ : /are present/],
  ['page size of projects', pageSize(freedoms)],
  ['projects that come twice', /None/],
  ['tasks that come twice', /None/],
  ['fields that change by themselves', /None|No timestamp/],
  ['rate limits', /None/],
];

function pageSize({ maxPageSize, maxResponseBytes, tooLargeStatus }: Freedoms): RegExp {
  const fails = new RegExp(`fails \\(${tooLargeStatus}\\)`);
  if (maxResponseBytes === 1_200)
    return maxPageSize === 5 ? new RegExp(`${fails.source}|at most 5 items, even`) : fails;
  return maxPageSize === 5 ? /at most 5 items, even/ : /Pages of 200 work/;
}

function times(freedoms: Freedoms): Expected[] {
  const { recordTimestamps, updateTimeName, timestampResolution, taskEditsTouchProject } = freedoms;
  const { listOrder, updatesVisibleAfter, updatedAfterInclusive, cursors } = freedoms;
  if (!recordTimestamps)
    return [
      ['update times', /have no update time/],
      ['task edits', /Could not determine/],
      ['order of projects', /Too few/],
      ['updatedAfter at the very time', /have no update time/],
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
          ? /Could not determine/
          : /appear to change/
        : seesTaskEdits(freedoms)
          ? /do not change/
          : /do not change|Could not determine/,
    ],
    [
      'order of projects',
      { made: /is not sorted/ }[listOrder as 'made'] ?? new RegExp(listOrder.slice(0, 6)),
    ],
    ['updatedAfter at the very time', updatedAfterInclusive ? /inclusive/ : /exclusive/],
    [
      'updatedAfter shows updates',
      updatesVisibleAfter === 0 ? /appears within/ : /appear late|appears within 5\d s/,
    ],
    // An update that isn't shown yet is lacking behind a cursor, too.
    [
      'cursors',
      updatesVisibleAfter === 0
        ? cursorsMean(cursors)
        : new RegExp(`${cursorsMean(cursors).source}|Could not determine`),
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
  const gone = tasksOfDeletedProject === 200 ? /instead of a 404/ : /returns 404/;
  if (auditDenied !== false) return [['audit log', new RegExp(`denied \\(${auditDenied}\\)`)]];
  const few = auditRetention === 6 && freedoms.auditVisibleAfter > 0;
  return [
    ['list of the audit log', new RegExp(`^Found under ${auditListName}\\.`)],
    ['audit log', /can be read/],
    ['audit log times', auditTimestamps ? /in timestamp/ : /have no timestamp/],
    [
      'audit log order',
      auditTimestamps && !few ? new RegExp(auditOrder.replace('-', ' ')) : /Too few|no timestamp/,
    ],
    ['audit log names projects', NAMING[freedoms.auditShape]],
    ['audit log names users', auditTimestamps ? /name a user and a time/ : /have no timestamp/],
    ['deleted projects', auditRetention === 6 ? /No deleted project found/ : gone],
    ...(auditTimestamps && freedoms.recordTimestamps ? auditTimes(freedoms) : []),
  ];
}

const auditTimes = ({ auditRetention, auditVisibleAfter }: Freedoms): Expected[] => [
  ['audit log keeps', auditRetention === 6 ? /were removed/ : /No sign/],
  ['audit log shows edits', auditVisibleAfter > 0 ? /no entry for/ : /an entry for/],
];

/** What a doctor finds of a service with these freedoms. */
export const expectedOf = (freedoms: Freedoms): Expected[] =>
  [identity, answers, times, audit].flatMap(each => each(freedoms));
