import { expect, test } from 'vitest';
import type { Json, JsonObject } from '../../functions/basics/json.ts';
import { createDoctor } from '../../functions/doctor/doctor.ts';
import { type SeenRequest, tooManyRequests } from '../../simulator/server.ts';
import { lively, PROCESS } from '../kit/doctor/lively.ts';
import { type DoctorSetup, expectFinding, findingOf } from '../kit/doctor/setup.ts';

const path = (part: string) => (request: SeenRequest) => request.path.includes(part);
const isWhole = (request: SeenRequest) => /projects\?first=\d+$/.test(request.path);
const ALWAYS = 10_000;

/** Puts something else into each record of the lists that fit. */
function changeRecords(
  { service }: DoctorSetup,
  when: (request: SeenRequest) => boolean,
  change: (record: JsonObject, index: number) => JsonObject,
): void {
  let asked = 0;
  service.fail({
    when,
    times: ALWAYS,
    fault: {
      change: body => {
        asked += 1;
        const changed = (each: Json, index: number) => change(each as JsonObject, index * 1000 + asked);
        const lists = Object.entries(body).map(([key, value]) => [
          ...[key, Array.isArray(value) ? value.map(changed) : value],
        ]);
        return Object.fromEntries(lists) as JsonObject;
      },
    },
  });
}

test.each([404, 403, 500])(
  'a process that can not be listed (%i) is one finding, and all else is unknown',
  async status => {
    const setup = lively();
    setup.service.fail({ when: path('/projects'), times: ALWAYS, fault: { status } });
    const { findings, settings } = await setup.examine();
    const came = expect.stringContaining(`status ${status}`);
    expect(findings[1]).toMatchObject({ topic: 'process', verdict: 'warning', came });
    expect(findings.slice(2).every(({ verdict }) => verdict === 'unknown')).toBe(true);
    expect(settings).toEqual({ workspace: {}, process: {} });
    expect(setup.service.requests.length).toBeLessThan(12);
  },
);

type Change = Parameters<DoctorSetup['service']['fail']>[0]['fault'];

type Texts = { readonly found?: RegExp; readonly came?: RegExp };

test.each<[string, string, Change, topic: string, Texts]>([
  [
    'a page of something on the way',
    '/projects',
    { status: 200, body: '<html>Sign in</html>' },
    'process',
    { came: /not JSON; check the address/ },
  ],
  [
    'an answer with two lists',
    '/users',
    { change: body => ({ ...body, teams: [] }) },
    'list of users',
    { came: /^users, teams beside paging$/ },
  ],
  [
    'an answer without paging',
    'auditlog',
    { change: ({ paging: _, ...body }) => body },
    'list of the audit log',
    { found: /but without paging/ },
  ],
  ['a refused updatedAfter', 'updatedAfter', { status: 400 }, 'updatedAfter', { found: /is rejected/ }],
  ['a further page that fails', 'after=', { status: 403 }, 'list of users', { found: /a later one fails/ }],
  ['tasks that can not be read', '/tasks?', { status: 403 }, 'list of tasks', { came: /access is denied/ }],
])('%s is found', async (_, part, fault, topic, { found = /./, came = /./ }) => {
  const setup = lively(part === 'after=' ? { maxPageSize: 5 } : {});
  setup.service.fail({ when: path(part), times: ALWAYS, fault });
  const answer = await setup.examine();
  expectFinding(answer, topic, 'warning', found);
  expect(findingOf(answer, topic).came).toMatch(came);
});

test.each([
  ['updatedAfter', ALWAYS, 400],
  ['/users?', 1, 502],
  ['/users?', ALWAYS, 500],
])('a failure of %s, %i times with %i, is not one of the page size', async (part, times, status) => {
  const setup = lively();
  setup.service.fail({ when: path(part), times, fault: { status } });
  expect((await setup.examine()).settings.workspace.pageSize).toBeUndefined();
});

test('an updatedAfter that is ignored, and identifiers that come twice, are found', async () => {
  const setup = lively();
  const projects = setup.service.workspace.projects(PROCESS);
  const change = (body: JsonObject) => ({ ...body, projects });
  setup.service.fail({ when: path('updatedAfter'), times: ALWAYS, fault: { change } });
  changeRecords(setup, path('/tasks?'), record => ({ ...record, id: 'same' }));
  const answer = await setup.examine();
  expectFinding(answer, 'updatedAfter', 'warning', /is ignored/);
  expectFinding(answer, 'tasks that come twice', 'warning', /share an identifier: same/);
});

test('what is refused in one place says nothing of the others', async () => {
  const setup = lively();
  setup.service.fail({ when: path('coverpage'), times: ALWAYS, fault: { status: 403 } });
  setup.service.fail({ when: path('/users'), times: ALWAYS, fault: 'destroy' });
  const answer = await setup.examine();
  const came = expect.stringMatching(/access is denied/);
  expect(findingOf(answer, 'definitions of project fields')).toMatchObject({ verdict: 'warning', came });
  expect(findingOf(answer, 'list of users')).toMatchObject({ verdict: 'unknown' });
  expect(findingOf(answer, 'definitions of task fields').verdict).toBe('fine');
});

test.each([
  ['short one is waited for, and hides nothing', 7, 1, '7 s', 'fine', [7_000, 600_000]],
  ['lasting one ends nothing, and what it hides is unknown', 3600, ALWAYS, '60 min', 'unknown', [0, 60_000]],
] as const)(
  'a rate limit is told, without a setting, for passes find out what is accepted: a %s',
  async (_, seconds, times, wait, users, [least, most]) => {
    const setup = lively();
    setup.service.fail({ when: path('/users'), times, fault: tooManyRequests(seconds) });
    const began = setup.time.now;
    const answer = await setup.examine();
    const came = expect.stringContaining(`requested waits: ${wait}`);
    expect(findingOf(answer, 'rate limits')).toMatchObject({ verdict: 'warning', came });
    expect(findingOf(answer, 'list of users').verdict).toBe(users);
    expect(answer.settings.workspace).toEqual({});
    expect(setup.time.now - began).toBeGreaterThan(least);
    expect(setup.time.now - began).toBeLessThan(most);
  },
);

test('no more is asked than is allowed, nor sooner', async () => {
  const setup = lively();
  const began = setup.time.now;
  const examine = createDoctor({ ...setup.options, most: 12, perSecond: 2 });
  const answer = await examine({ workspace: 'w', processId: PROCESS });
  expect(setup.service.requests.filter(path('/processes')).length).toBeLessThanOrEqual(12);
  expect(setup.time.now - began).toBeGreaterThanOrEqual(5_500);
  expect(findingOf(answer, 'deleted projects').verdict).toBe('unknown');
});

test.each<[string, 'task' | 'project', string, Parameters<typeof changeRecords>[2], RegExp]>([
  [
    'with an unusual name is found, and proposed',
    ...(['task', 'taskKey'] as const),
    ({ id = '', ...record }, rank) => ({ taskKey: `T-${id}`, ...record, rank: rank % 2 }),
    /^A task is identified by taskKey /,
  ],
  [
    'that the paths of its record take is right, of two that are possible',
    ...(['project', 'projectId'] as const),
    ({ id = '', ...record }) => ({ id: `uuid-${id}`, projectId: id, ...record }),
    /^A project is identified by projectId .* Also possible: id\./,
  ],
])('an identifier %s', async (_, kind, name, change, found) => {
  const setup = lively();
  changeRecords(setup, path(`/${kind}s?`), change);
  const answer = await setup.examine();
  expectFinding(answer, `${kind} identifiers`, 'setting', found);
  expect(answer.settings.workspace).toEqual({ identifiers: { [kind]: name } });
});

test('a time that alone differs between two readings is proposed to be ignored; a counter, or an edit, is not', async () => {
  const setup = lively();
  const iso = (after: number) => new Date(setup.time.now + after).toISOString();
  changeRecords(setup, isWhole, (record, index) => ({
    ...record,
    ...(index < 1000 && { lastViewedAt: iso(index % 1000) }),
    ...(index >= 1000 && index < 2000 && { views: index }),
    ...(index >= 2000 && index < 3000 && { nextMeeting: iso(9e9 + index) }),
  }));
  const answer = await setup.examine();
  expectFinding(answer, 'fields that change by themselves', 'setting', /only lastViewedAt changed/);
  expect(answer.settings.process).toEqual({ ignoreFields: ['lastViewedAt'] });
});

test('a time of something else than an update is not proposed to be ignored', async () => {
  const setup = lively();
  changeRecords(setup, path('/projects?'), (record, index) => ({
    ...record,
    launchedAt: new Date(setup.time.now - (index >> 3) * 7_777_777).toISOString(),
    startedEditingAt: '2026-06-30T10:00:00Z',
    closedOn: new Date(setup.time.now - index * 3_333).toISOString(),
  }));
  expect((await setup.examine()).settings.process).toEqual({});
});

test('a service whose clock is wrong is told by how much', async () => {
  const setup = lively();
  setup.time.skew = -300_000;
  expect(findingOf(await setup.examine(), 'clock').found).toBe(
    "The service's clock is 5 min earlier than ours. Changewire uses the service's clock.",
  );
});

test('what is configured already is no setting that follows, and what is set beside it stays', async () => {
  const setup = lively({ updateTimeName: 'tsm', dateHeader: false });
  const configured = () => ({ workspace: { dateHeader: false }, process: { ignoreFields: ['views'] } });
  const answer = await createDoctor({ ...setup.options, configured })({ workspace: 'w', processId: PROCESS });
  expect(answer.settings).toEqual({ workspace: {}, process: { ignoreFields: ['views', 'tsm'] } });
  expectFinding(answer, 'clock', 'fine', /Already configured\.$/);
});

test('a token that is refused is renewed, and nothing is lost', async () => {
  const setup = lively();
  setup.service.fail({ when: path('/users'), fault: { before: () => setup.service.revokeTokens() } });
  const answer = await setup.examine();
  expect(findingOf(answer, 'list of users').verdict).toBe('fine');
  expect(setup.service.requests.filter(path('/oauth/token'))).toHaveLength(2);
});

test('a list whose cursor leads back to its page is read no further', async () => {
  const stuck = lively();
  const goesOn = ({ paging, ...body }: JsonObject) => ({
    ...{ ...body, paging: { ...(paging as JsonObject), hasNextPage: true } },
  });
  stuck.service.fail({ when: path('/users'), times: ALWAYS, fault: { change: goesOn } });
  expectFinding(await stuck.examine(), 'list of users', 'warning', /its pages repeat/);
  expect(stuck.service.requests.filter(path('/users?'))).toHaveLength(2);
});

test('the pages that are proposed have room for larger records than those that were seen', async () => {
  const { examine, service } = lively({ maxResponseBytes: 2_000 });
  const { settings } = await examine();
  const sizes = service.workspace.projects(PROCESS).map(record => JSON.stringify(record).length);
  const { projects = 0 } = settings.workspace.pageSize as { projects?: number };
  expect(projects).toBeGreaterThan(2);
  expect(projects * Math.max(...sizes)).toBeLessThan(1_600);
});

test('tasks of one project that can not be read stop nothing', async () => {
  const one = lively();
  one.service.fail({ when: path('/1001/tasks?'), times: ALWAYS, fault: { status: 403 } });
  const answer = await one.examine();
  expect(findingOf(answer, 'list of tasks')).toMatchObject({ verdict: 'fine', found: 'Found under tasks.' });
  expect(findingOf(answer, 'task identifiers').verdict).toBe('fine');
  expect(answer.settings).toEqual({ workspace: {}, process: {} });
});

test('a process without projects is told what can not be seen yet', async () => {
  const { service, examine } = lively();
  for (const id of service.workspace.state.processes.get(PROCESS)?.projects.keys() ?? [])
    service.workspace.deleteProject(PROCESS, id);
  const { findings, settings } = await examine();
  expect(findings.filter(({ verdict }) => verdict === 'warning')).toEqual([]);
  expect(settings).toEqual({ workspace: {}, process: {} });
});
