import { expect, test } from 'vitest';
import type { Finding } from '../../functions/operations/protocol/answers.ts';
import { DEFAULT_FREEDOMS, type Freedoms } from '../../simulator/data/freedoms.ts';
import { lively } from '../kit/doctor/lively.ts';
import { findingOf } from '../kit/doctor/setup.ts';

type Case = readonly [Partial<Freedoms>, topic: string, verdict: Finding['verdict'], found: RegExp];

/** What the doctor says of a service with each freedom, and what it says of the plain one. */
const CASES: Record<keyof Freedoms, readonly Case[]> = {
  taskListName: [
    [{}, 'list of tasks', 'fine', /^Found under tasks\.$/],
    [{ taskListName: 'items' }, 'list of tasks', 'fine', /^Found under items\.$/],
  ],
  auditListName: [[{ auditListName: 'log' }, 'list of the audit log', 'fine', /^Found under log\.$/]],
  userListName: [[{ userListName: 'members' }, 'list of users', 'fine', /^Found under members\.$/]],
  taskIdProperty: [
    [{}, 'task identifiers', 'fine', /^A task is identified by id \(strings\)/],
    [{ taskIdProperty: 'taskId' }, 'task identifiers', 'fine', /^A task is identified by taskId /],
    [{ taskIdProperty: 'externalId' }, 'task identifiers', 'fine', /^A task is identified by externalId /],
  ],
  projectIdProperty: [
    [{ projectIdProperty: 'projectId' }, 'project identifiers', 'fine', /is identified by projectId /],
  ],
  numericIds: [
    [{ numericIds: true }, 'project identifiers', 'fine', /^A project is identified by id \(numbers/],
  ],
  expiresIn: [
    [{}, 'token life', 'fine', /600 s, according to expires_in\./],
    [{ expiresIn: false }, 'token life', 'fine', /600 s, according to its own exp/],
  ],
  tokenLifetime: [
    [{ tokenLifetime: 90 }, 'token life', 'fine', /valid for 90 s/],
    [{ tokenLifetime: 20 }, 'token life', 'warning', /valid for 20 s/],
  ],
  dateHeader: [
    [{}, 'clock', 'fine', /agrees with ours/],
    [{ dateHeader: false }, 'clock', 'setting', /have no usable Date header/],
  ],
  auditOrder: [
    [{}, 'audit log order', 'fine', /oldest first/],
    [{ auditOrder: 'newest-first' }, 'audit log order', 'fine', /newest first/],
  ],
  auditDenied: [
    [{ auditDenied: 403 }, 'audit log', 'setting', /denied \(403\)/],
    [{ auditDenied: 404 }, 'audit log', 'setting', /denied \(404\)/],
  ],
  auditRetention: [[{ auditRetention: 6 }, 'audit log keeps', 'fine', /Old entries were removed.*6 entries/]],
  auditTimestamps: [
    [{}, 'audit log times', 'fine', /in timestamp/],
    [{ auditTimestamps: false }, 'audit log times', 'fine', /have no timestamp/],
    [{ auditTimestamps: false }, 'audit log order', 'unknown', /no timestamp/],
    [
      { auditTimestamps: false },
      'audit log names users',
      'fine',
      /have no timestamp: events do not name the user/,
    ],
  ],
  auditShape: [
    ...(['nested', 'flat', 'reference', 'several'] as const).map(
      (auditShape): Case => [
        { auditShape },
        'audit log names users',
        'fine',
        /^[1-9]\d* of \d+ entries name a user and a time/,
      ],
    ),
    [{}, 'audit log names projects', 'fine', /^details\.context\.projectId names/],
    [{ auditShape: 'flat' }, 'audit log names projects', 'fine', /^projectId names/],
    [{ auditShape: 'reference' }, 'audit log names projects', 'fine', /^target names/],
    [{ auditShape: 'several' }, 'audit log names projects', 'fine', /^details\.context\.projectId names/],
  ],
  recordTimestamps: [[{ recordTimestamps: false }, 'update times', 'warning', /have no update time/]],
  updateTimeName: [
    [{}, 'update times', 'fine', /in updatedAt\./],
    [{ updateTimeName: 'lastTouch' }, 'update times', 'setting', /^lastTouch: /],
    [{ updateTimeName: 'tsm' }, 'update times', 'setting', /^tsm: /],
  ],
  timestampResolution: [
    [{}, 'resolution of update times', 'fine', /milliseconds/],
    [{ timestampResolution: 1000 }, 'resolution of update times', 'fine', /multiples of 1 s/],
    [{ timestampResolution: 60_000 }, 'resolution of update times', 'warning', /multiples of 60 s/],
  ],
  taskEditsTouchProject: [
    [{}, 'task edits', 'fine', /appear to change/],
    [{ taskEditsTouchProject: false }, 'task edits', 'warning', /do not change/],
  ],
  tooLargeStatus: [400, 413, 500, 502].map(tooLargeStatus => [
    { tooLargeStatus: tooLargeStatus as 400, maxResponseBytes: 2_000 },
    'page size of projects',
    'setting',
    new RegExp(`fails \\(${tooLargeStatus}\\)`),
  ]),
  maxResponseBytes: [
    [{}, 'page size of projects', 'fine', /Pages of 200 work/],
    [
      { maxResponseBytes: 2_000 },
      'page size of projects',
      'setting',
      /A page of 12 fails \(413\), one of 6 works/,
    ],
  ],
  maxPageSize: [[{ maxPageSize: 5 }, 'page size of projects', 'fine', /at most 5 items, even if 200/]],
  listOrder: [
    [{}, 'order of projects', 'fine', /is not sorted by update time/],
    [{ listOrder: 'oldest-update-first' }, 'order of projects', 'fine', /update time, oldest first/],
    [{ listOrder: 'newest-update-first' }, 'order of projects', 'fine', /update time, newest first/],
  ],
  cursors: [
    [{}, 'cursors', 'fine', /point at an item/],
    [{ cursors: 'offset' }, 'cursors', 'fine', /count items/],
  ],
  updatesVisibleAfter: [
    [{}, 'updatedAfter shows updates', 'fine', /appears within \d s/],
    [{ updatesVisibleAfter: 12_000 }, 'updatedAfter shows updates', 'fine', /appears within 1[2-9] s/],
    [{ updatesVisibleAfter: 50_000 }, 'updatedAfter shows updates', 'warning', /late, by 1\d s or more/],
  ],
  auditVisibleAfter: [
    [{}, 'audit log shows edits', 'fine', /an entry for the last update/],
    [{ auditVisibleAfter: 90_000 }, 'audit log shows edits', 'warning', /no entry for the last update/],
  ],
  updatedAfterInclusive: [
    [{}, 'updatedAfter at the very time', 'fine', /exclusive/],
    [{ updatedAfterInclusive: true }, 'updatedAfter at the very time', 'fine', /inclusive/],
  ],
  tasksOfDeletedProject: [
    [{}, 'deleted projects', 'fine', /returns 404/],
    [{ tasksOfDeletedProject: 200 }, 'deleted projects', 'fine', /is empty instead of a 404/],
  ],
  emptyPageCursors: [
    [{}, 'empty pages', 'fine', /are present/],
    [{ emptyPageCursors: 'null' }, 'empty pages', 'fine', /are null/],
  ],
  definitionShape: [
    [{}, 'definitions of project fields', 'fine', /groups of fields/],
    [{ definitionShape: 'list' }, 'definitions of task fields', 'fine', /one list of fields/],
  ],
};

test('there is a case for each freedom', () => {
  expect(Object.keys(CASES).sort()).toEqual(Object.keys(DEFAULT_FREEDOMS).sort());
  expect(Object.keys(CASES)).toHaveLength(29);
});

test.each(Object.values(CASES).flat())('%j: %s', async (freedoms, topic, verdict, found) => {
  const answer = await lively(freedoms).examine();
  expect(findingOf(answer, topic)).toMatchObject({ verdict, found: expect.stringMatching(found) });
});
