import { describe, expect, it } from 'vitest';
import type { Fault } from '../../simulator/server.ts';
import { openStage } from '../kit/stage.ts';
import { servedState, snapshotState } from '../kit/told.ts';
import { PROCESS, type World } from '../kit/world.ts';

/** What answers in the service's place, or answers something else than documented: no such pass tells anything, its error
 *  says what was asked and what came, and the next one that is answered well tells what happened. */
const stage = openStage();
/** What is told of projects and tasks. */
const told = async () => (await stage.told()).filter(line => /^(project|task)\./.test(line));
let world: World;

const body = (text: string, headers = {}): Fault => ({ status: 200, body: text, headers });
const HTML = body('<!doctype html><title>Sign in</title>', { 'content-type': 'text/html' });
const change = (changed: (body: Record<string, never>) => unknown): Fault => ({ change: changed as never });

const ANYWHERE: Record<string, Fault> = {
  'a page of HTML': HTML,
  nothing: body(''),
  null: body('null'),
  'an array': body('[]'),
  'a number': body('5'),
  'half an answer': 'truncate',
  'a redirect': { status: 302, headers: { location: 'https://login.example.com' } },
  'not modified': { status: 304 },
  'no content': { status: 204 },
  forbidden: { status: 403 },
};
const IN_LISTS: Record<string, Fault> = {
  'no paging': change(({ paging: _, ...rest }) => rest),
  'no end of empty pages with one cursor': change(body => ({
    ...body,
    projects: [],
    tasks: [],
    entries: [],
    paging: { hasNextPage: true, endCursor: 'again' },
  })),
  'a text instead of the list': change(body => ({
    ...body,
    projects: 'none',
    tasks: 'none',
    entries: 'none',
  })),
  'records that are texts': change(body => ({ ...body, projects: ['x'], tasks: ['x'], entries: ['x'] })),
};
const LISTS = { projects: '/projects?', tasks: '/tasks?', auditlog: '/auditlog?' };
const OTHERS = {
  token: '/oauth/token',
  coverpage: '/coverpage',
  'task-custom-fields': '/task-custom-fields',
};

const cases = [
  ...Object.entries({ ...LISTS, ...OTHERS }).flatMap(([name, path]) =>
    Object.entries(ANYWHERE).map(([what, fault]) => ({ name, path, what, fault })),
  ),
  ...Object.entries(LISTS).flatMap(([name, path]) =>
    Object.entries(IN_LISTS).map(([what, fault]) => ({ name, path, what, fault })),
  ),
];

/** A world with changes to tell, of which each kind of request tells one. */
async function edited(): Promise<void> {
  world = await stage.create({ freedoms: { taskEditsTouchProject: false } });
  await world.run();
  await world.later('changes', 600_000);
  world.edit.updateProject(PROCESS, '1001', { budget: '5' });
  world.edit.updateTask(PROCESS, '1002', '500003', { status: 'Done' });
}
const TOLD = ['project.updated 1001 budget: "" → "5"', 'task.updated 1002/500003 status: "To do" → "Done"'];

describe.each(cases)('$name that answers $what', ({ path, fault }) => {
  it('makes nothing up, and the process recovers by itself', async () => {
    await edited();
    if (path === OTHERS.token) world.service.revokeTokens();
    const active = world.service.fail({ when: request => request.path.includes(path), times: 10_000, fault });
    for (const mode of ['changes', 'sweep'] as const) {
      const error = await world.later(mode).then(
        () => undefined,
        (error: Error) => error,
      );
      if (error) expect(error.message).toMatch(/(GET|POST) \/\S+: (at \$|status \d+:|the connection failed)/);
    }
    for (const line of await told()) expect(TOLD).toContain(line);
    active.cancel();
    for (const mode of ['changes', 'changes', 'sweep'] as const) await world.later(mode, 300_000);
    expect((await told()).sort()).toEqual(TOLD);
    expect(await snapshotState(world.snapshots, world.process)).toEqual(servedState(world.edit, PROCESS));
  });
});

describe('a list of tasks with two arrays', () => {
  it('stops one project, and names both arrays', async () => {
    await edited();
    const strange = world.service.fail({
      when: ({ path }) => path.includes('/1002/tasks?'),
      times: 100,
      fault: change(body => ({ ...body, members: [] })),
    });
    await world.later().catch(() => undefined);
    const said = world.said.find(({ details }) => JSON.stringify(details)?.includes('exactly one array'));
    expect(JSON.stringify(said?.details)).toContain(
      'the keys tasks (array), paging (object), members (array)',
    );
    expect(await told()).toEqual([TOLD[0]]);
    strange.cancel();
    await world.later();
    await world.later('sweep');
    expect(await told()).toEqual(TOLD);
  });
});

describe('trouble that is everybody’s', () => {
  it.each([
    ['a token that cannot be had', '/oauth/token', HTML, /^POST \/auth\/oauth\/token: at \$: expected JSON/],
    [
      'definitions that cannot be read',
      '/coverpage',
      { status: 500 } as Fault,
      /^GET \S+coverpage: status 500/,
    ],
  ])('is laid to no project: %s in the midst of a walk', async (_title, path, fault, message) => {
    await edited();
    world.service.fail({
      when: request => request.path.includes('/tasks?'),
      fault: { before: () => world.service.revokeTokens() },
    });
    world.service.fail({ when: request => request.path.includes(path), times: 100, fault });
    await expect(world.later()).rejects.toThrow(message);
    expect(JSON.stringify(world.said)).not.toContain('A project cannot be read');
  });
});

describe('field definitions that are none', () => {
  it.each(['{}', 'null', '7', '{"error":"try later"}'])(
    'leave names and types as they were: %s',
    async text => {
      await edited();
      const path = /coverpage|task-custom-fields/;
      world.service.fail({ when: request => path.test(request.path), times: 100, fault: body(text) });
      await world.later();
      const [event] = (await world.events()).filter(({ type }) => type === 'project.updated');
      expect(event && 'changes' in event.data && event.data.changes[0]).toMatchObject({ kind: 'custom' });
      expect((await world.events()).map(({ type }) => type).sort()).toEqual([
        'project.updated',
        'task.updated',
      ]);
      expect(JSON.stringify(world.said)).toContain('field definitions, or an empty list of them');
    },
  );
});
