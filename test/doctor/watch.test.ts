import { expect, test } from 'vitest';
import { createWatch } from '../../functions/doctor/watch.ts';
import { doctorAnswer, type Finding } from '../../functions/operations/protocol/answers.ts';
import type { EditApi, Freedoms } from '../../simulator/server.ts';
import { lively, PROCESS } from '../kit/doctor/lively.ts';
import { expectFinding, findingOf, NOW } from '../kit/doctor/setup.ts';

type Edit = (edit: EditApi, project: string, task: string) => void;

const PROJECT = '1004';
const rename: Edit = (edit, project, task) => edit.updateTask(PROCESS, project, task, { name: 'Renamed' });

/** Watches a service, whose people make these edits, one each half a minute. */
async function watched(freedoms: Partial<Freedoms>, edits: readonly Edit[] = [rename]) {
  const { options, service, time } = lively(freedoms);
  const { workspace } = service;
  const [task = ''] = workspace.state.processes.get(PROCESS)?.projects.get(PROJECT)?.tasks.keys() ?? [];
  const waiting = [...edits];
  let at = time.now + 30_000;
  const said: string[] = [];
  const sleep = async (ms: number) => {
    time.now += ms;
    if (time.now < at) return;
    at += 30_000;
    waiting.shift()?.(workspace, PROJECT, task);
  };
  const watch = createWatch({ ...options, sleep });
  const answer = await watch(
    { workspace: 'w', processId: PROCESS },
    { project: PROJECT, report: text => said.push(text) },
  );
  expect(doctorAnswer.parse(answer)).toEqual(answer);
  return { answer, said, requests: service.requests.length };
}

test('tells what an edit showed, and what to do', async () => {
  const { answer, said } = await watched({});
  expect(said).toEqual([
    `Edit a task of project ${PROJECT} (Renamed 5) now. Waiting up to 10 min for the change.`,
    'Edit detected. Checking where else it appears.',
  ]);
  const late = /^Updates appear late, by \d s\. .* covers that/;
  expect(answer.findings.map(({ topic, verdict, found }) => [topic, verdict, found])).toEqual([
    ['edit', 'fine', 'Changed in the task: name, updatedAt.'],
    ['task edits', 'fine', 'They change the update time of their project.'],
    ['updatedAfter shows updates', 'fine', expect.stringMatching(late)],
    ['audit log shows edits', 'fine', expect.stringMatching(/^An entry appeared within \d s/)],
    ['audit log names projects', 'fine', 'details.context.projectId names the project of an edited task.'],
    ['audit log order', 'fine', 'Entries come oldest first.'],
  ]);
  expect(answer.findings.filter(({ asked }) => asked.length === 0)).toEqual([]);
  expect(answer.settings).toEqual({ workspace: {}, process: {} });
});

test.each<[Partial<Freedoms>, string, Finding['verdict'], RegExp]>([
  [{ taskEditsTouchProject: false }, 'task edits', 'warning', /do not change/],
  [{ recordTimestamps: false }, 'task edits', 'unknown', /have no update time/],
  [{ updatesVisibleAfter: 40_000 }, 'updatedAfter shows updates', 'fine', /late, by 4\d s\. .* covers that/],
  [
    { updatesVisibleAfter: 90_000 },
    'updatedAfter shows updates',
    'setting',
    /late, by 9\d s: passes need a longer overlap/,
  ],
  [{ auditVisibleAfter: 60_000 }, 'audit log shows edits', 'fine', /within 6\d s/],
  [{ auditDenied: 403 }, 'audit log shows edits', 'warning', /empty or denied/],
  [{ auditOrder: 'newest-first' }, 'audit log order', 'fine', /newest first/],
  [{ auditOrder: 'newest-first', auditTimestamps: false }, 'audit log order', 'fine', /newest first/],
  [{ auditTimestamps: false, maxPageSize: 4 }, 'audit log order', 'fine', /oldest first/],
  [{ updateTimeName: 'tsm' }, 'edit', 'setting', /tsm will change with every edit/],
])('%j: %s', async (freedoms, ...finding) => {
  const { answer } = await watched(freedoms);
  expectFinding(answer, ...finding);
});

test('proposes what follows', async () => {
  expect((await watched({ updatesVisibleAfter: 90_000 })).answer.settings.process.overlap).toMatch(/^[56]m$/);
  const { process } = (await watched({ updateTimeName: 'tsm' })).answer.settings;
  expect(process).toEqual({ ignoreFields: ['tsm'] });
});

test('a time that the edit itself set is no time that changes with every edit', async () => {
  const complete: Edit = (edit, project, task) =>
    edit.updateTask(PROCESS, project, task, { completedAt: new Date(NOW + 300_000).toISOString() });
  expect((await watched({}, [complete])).answer.settings.process).toEqual({});
});

test('an edit that the audit log does not tell is told so', async () => {
  const silent: Edit = (edit, project, task) =>
    edit.updateTask(PROCESS, project, task, { name: 'N' }, { audit: false });
  const { answer } = await watched({}, [silent]);
  expectFinding(answer, 'audit log shows edits', 'warning', /no entry for the edit/);
});

test('a task that is made, or goes, is an edit, too', async () => {
  const after = async (edit: Edit) => findingOf((await watched({}, [edit])).answer, 'edit').found;
  expect(await after(edit => edit.createTask(PROCESS, PROJECT))).toBe('A task was created.');
  const remove: Edit = (edit, project, task) => edit.deleteTask(PROCESS, project, task);
  expect(await after(remove)).toBe('A task was deleted.');
});

test('an edit of the project itself, before, is not taken for what the task’s did', async () => {
  const renameProject: Edit = (edit, project) => edit.updateProject(PROCESS, project, { name: 'Before' });
  const { answer } = await watched({ taskEditsTouchProject: false }, [renameProject, rename]);
  expect(findingOf(answer, 'task edits').verdict).toBe('warning');
});

test('an edit between the first readings of the tasks and of the project is not taken for one that moves nothing', async () => {
  const { options, service, time } = lively({});
  const { workspace } = service;
  const [task = ''] = workspace.state.processes.get(PROCESS)?.projects.get(PROJECT)?.tasks.keys() ?? [];
  let edits = 0;
  let watchedFrom = Number.POSITIVE_INFINITY;
  const sleep = async (ms: number) => {
    time.now += ms;
    const isOfTasks = ({ path }: { path: string }) => path.includes(`/${PROJECT}/tasks`);
    const last = service.requests.at(-1);
    // The first look reads the tasks, and then the projects.
    const isBetween = last && isOfTasks(last) && service.requests.filter(isOfTasks).length === 1;
    if (edits === 0 ? !isBetween : edits > 1 || time.now < watchedFrom + 200_000) return;
    edits += 1;
    workspace.updateTask(PROCESS, PROJECT, task, { name: `Renamed ${edits}` });
  };
  const watch = createWatch({ ...options, sleep });
  const say = () => {
    watchedFrom = Math.min(watchedFrom, time.now);
  };
  const answer = await watch({ workspace: 'w', processId: PROCESS }, { project: PROJECT, report: say });
  expect(edits).toBe(2);
  expect(findingOf(answer, 'task edits')).toMatchObject({ verdict: 'fine' });
});

test('without an edit it ends, after a bounded number of requests, and says how to go on', async () => {
  const { answer, requests } = await watched({}, []);
  expect(answer.findings).toMatchObject([
    { topic: 'edit', verdict: 'unknown', remedy: expect.stringMatching(/edit a task/) },
  ]);
  expect(requests).toBeLessThan(1_000);
});
