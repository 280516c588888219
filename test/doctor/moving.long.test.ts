import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DEFAULT_FREEDOMS, type Freedoms } from '../../simulator/data/freedoms.ts';
import { drawnFreedoms } from '../kit/doctor/drawn-freedoms.ts';
import { expectedOf } from '../kit/doctor/expected.ts';
import { lively, PROCESS } from '../kit/doctor/lively.ts';
import { findingOf } from '../kit/doctor/setup.ts';

/** One edit, and how long after the one before it is made, in ms. */
const edits = fc.infiniteStream(
  fc.record({
    after: fc.integer({ min: 1_500, max: 4_000 }),
    kind: fc.constantFrom('task', 'task', 'project', 'new task', 'new project', 'gone'),
    which: fc.nat(),
  }),
);

/** A service whose data people go on editing while it is examined. */
function restless(freedoms: Parameters<typeof lively>[0], stream: Iterator<Edit>) {
  let due = Number.POSITIVE_INFINITY;
  let next: Edit | undefined;
  let count = 0;
  const plan = () => {
    next = stream.next().value as Edit;
    due = doctorSetup.time.now + next.after;
  };
  const doctorSetup = lively(freedoms, () => {
    for (; next && due <= doctorSetup.time.now; plan()) edit(next);
  });
  const edit = ({ kind, which }: Edit) => {
    const { workspace } = doctorSetup.service;
    const projects = workspace.state.processes.get(PROCESS)?.projects ?? new Map();
    const ids = [...projects.keys()];
    const id = ids[which % ids.length] ?? '';
    const [task = ''] = projects.get(id)?.tasks.keys() ?? [];
    count += 1;
    if (kind === 'new project') workspace.createProject(PROCESS, { name: `Made ${count}` });
    else if (kind === 'gone' && ids.length > 6) workspace.deleteProject(PROCESS, id);
    else if (kind === 'new task' || task === '') workspace.createTask(PROCESS, id, { name: `Made ${count}` });
    else if (kind === 'task') workspace.updateTask(PROCESS, id, task, { name: `Renamed ${count}` });
    else workspace.updateProject(PROCESS, id, { name: `Renamed ${count}` });
  };
  plan();
  return doctorSetup;
}

/** The number of requests after which the projects were read first, with their small pages. */
const AFTER_PROJECTS = 12;
const GONE = { 200: /instead of a 404/, 404: /returns 404/ };

type Edit = { readonly after: number; readonly kind: string; readonly which: number };

test('whatever is edited while it asks, the doctor concludes nothing wrong', async () => {
  await fc.assert(
    fc.asyncProperty(drawnFreedoms, edits, async (drawn, stream) => {
      const freedoms = { ...DEFAULT_FREEDOMS, ...drawn };
      const { examine, service } = restless(freedoms, stream);
      const answer = await examine();
      for (const [topic, found] of expectedOf(freedoms)) {
        const finding = findingOf(answer, topic);
        // A project that is deleted in between is named by any log.
        const isGone = topic === 'deleted projects' && freedoms.auditRetention === 6;
        const expected = isGone && finding.verdict === 'fine' ? GONE[freedoms.tasksOfDeletedProject] : found;
        // The bound of an update that was old is right for any lag.
        const isOld = /appears within (?:[5-9]\d s|1\d\d s|\d+ min)/.test(finding.found);
        if (finding.verdict === 'unknown' || isOld) continue;
        expect(finding.found, topic).toMatch(expected);
        expect(finding.came, topic).not.toMatch(/undefined|sends at most/);
      }
      expect(service.requests.length).toBeLessThan(200);
    }),
    { numRuns: 100 },
  );
});

test('a project that is updated while it is asked for by its time does not show that its time is included', async () => {
  let isEdited = false;
  const doctorSetup = lively({}, () => {
    const { path = '' } = doctorSetup.service.requests.at(-1) ?? {};
    if (isEdited || !/updatedAfter=2026-0[67]/.test(decodeURIComponent(path)) || isFuture(path)) return;
    isEdited = true;
    const ids = [...(doctorSetup.service.workspace.state.processes.get(PROCESS)?.projects.keys() ?? [])];
    for (const id of ids) doctorSetup.service.workspace.touchProject(PROCESS, id);
  });
  const isFuture = (path: string) =>
    Date.parse(/updatedAfter=([^&]+)/.exec(decodeURIComponent(path))?.[1] ?? '') > doctorSetup.time.now;
  const answer = await doctorSetup.examine();
  expect(isEdited).toBe(true);
  expect(findingOf(answer, 'updatedAfter at the very time').found).toMatch(/exclusive/);
});

test.each<[string, Partial<Freedoms>]>([
  ['updatedAfter at the very time', { updatedAfterInclusive: true, taskEditsTouchProject: false }],
  // Its log names the latest projects only.
  ['deleted projects', { auditRetention: 6 }],
])('a deletion between any two pages leads to no wrong conclusion about: %s', async (topic, special) => {
  const freedoms: Freedoms = { ...DEFAULT_FREEDOMS, cursors: 'offset', maxResponseBytes: 1_200, ...special };
  const [, right] = expectedOf(freedoms).find(([each]) => each === topic) ?? ['', /^$/];
  const expected = topic === 'deleted projects' ? GONE[404] : right;
  const wrong: unknown[] = [];
  let requests = Number.POSITIVE_INFINITY;
  for (let at = 1; at < requests; at += 1) {
    let isDeleted = false;
    const { service, examine } = lively(freedoms, () => {
      const { workspace, requests } = service;
      if (requests.length === AFTER_PROJECTS && topic === 'deleted projects')
        for (const name of ['One', 'Two']) workspace.createProject(PROCESS, { name });
      if (isDeleted || requests.length < at) return;
      isDeleted = true;
      const [, , third = ''] = workspace.state.processes.get(PROCESS)?.projects.keys() ?? [];
      workspace.deleteProject(PROCESS, third);
    });
    const { verdict, found } = findingOf(await examine(), topic);
    requests = service.requests.length;
    if (verdict !== 'unknown' && !expected.test(found)) wrong.push({ at, found });
  }
  expect(requests).toBeLessThan(200);
  expect(wrong).toEqual([]);
});
