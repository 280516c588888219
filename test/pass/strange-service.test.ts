import { expect, it } from 'vitest';
import type { JsonObject } from '../../functions/basics/json.ts';
import type { Fault } from '../../simulator/server.ts';
import { openStage } from '../kit/stage.ts';
import { PROCESS, type World } from '../kit/world.ts';

/** What answers in the service's place, or answers something else than documented: no such pass emits anything else than what
 *  happened, its error has the request and the answer, and the next passes emit what happened. */
const stage = openStage();
const told = async () => (await stage.told()).filter(line => /^(project|task)\./.test(line));
let world: World;

const body = (text: string, headers = {}): Fault => ({ status: 200, body: text, headers });
const change = (changed: (body: JsonObject) => unknown): Fault => ({ change: changed as never });
const inLists = (value: unknown) =>
  change(all => ({ ...all, projects: value, tasks: value, entries: value }));

/** One of each kind of failure that the client tells apart; which answers lead to which is tested in test/service. */
const ANSWERS: Record<string, Fault> = {
  'a page of HTML': body('<!doctype html><title>Sign in</title>', { 'content-type': 'text/html' }),
  'half an answer': 'truncate',
  'a redirect': { status: 302, headers: { location: 'https://login.example.com' } },
  'not modified': { status: 304 },
  forbidden: { status: 403 },
  'no paging': change(({ paging: _, ...rest }) => rest),
  'no end of empty pages': change(all => ({
    ...{ ...all, projects: [], tasks: [], entries: [] },
    paging: { hasNextPage: true, endCursor: 'again' },
  })),
  'records that are texts': inLists(['x']),
};
const PATHS = ['/projects?', '/tasks?', '/auditlog?', '/oauth/token', '/coverpage', '/task-custom-fields'];
const TOLD = ['project.updated 1001 budget: "" → "5"', 'task.updated 1002/500003 status: "To do" → "Done"'];

/** A world with a change that only the listing shows, and one that only the audit log does. */
const edited = async () => {
  world = await stage.settled({ freedoms: { taskEditsTouchProject: false } });
  world.edit.updateProject(PROCESS, '1001', { budget: '5' });
  world.edit.updateTask(PROCESS, '1002', '500003', { status: 'Done' });
};

it.each(Object.keys(ANSWERS))('%s makes nothing up, and the process recovers by itself', async what => {
  for (const path of PATHS) {
    await edited();
    if (path === '/oauth/token') world.service.revokeTokens();
    const when = (request: { path: string }) => request.path.includes(path);
    const active = world.service.fail({ when, times: 10_000, fault: ANSWERS[what] as Fault });
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
    expect((await told()).sort(), path).toEqual(TOLD);
    await world.stop();
  }
});

it.each([
  [
    'a token that cannot be had',
    '/oauth/token',
    body('<p>'),
    /^POST \/auth\/oauth\/token: at \$: expected JSON/,
  ],
  ['a token that is not there', '/oauth/token', { status: 404 } as Fault, /oauth\/token: status 404/],
  [
    'definitions that cannot be read',
    '/coverpage',
    { status: 500 } as Fault,
    /^GET \S+coverpage: status 500/,
  ],
])('invariant 9: %s in the midst of a pass is laid to no project', async (_title, path, fault, message) => {
  await edited();
  world.service.fail({
    when: request => request.path.includes('/tasks?'),
    fault: { before: () => world.service.revokeTokens() },
  });
  world.service.fail({ when: request => request.path.includes(path), times: 100, fault });
  for (const mode of ['changes', 'sweep'] as const) await expect(world.later(mode)).rejects.toThrow(message);
  const { reported, rechecks } = await stage.state();
  expect([stage.warned(/A project cannot be read/), reported, [...rechecks]]).toEqual([[], [], []]);
});

/** Renames the identifiers of what is served. */
const renaming = (list: 'projects' | 'tasks', rename: (id: string) => object) => {
  const renamed = (all: JsonObject) => ({
    ...all,
    [list]: (all[list] as { id: string }[]).map(({ id, ...rest }) => ({ ...rename(id), ...rest })),
  });
  const when = ({ path }: { path: string }) => path.includes(`/${list}?`);
  return world.service.fail({ when, times: 10_000, fault: change(renamed) });
};
const passes = async () => {
  for (const mode of ['changes', 'sweep', 'changes', 'sweep', 'sweep'] as const)
    await world.later(mode).catch(() => undefined);
};

it.each([
  [
    'projects',
    '/projects: at $.projects: expected records with id, which identified those known, found EXT-1001',
  ],
  ['tasks', '/1001/tasks: at $: expected records with id'],
] as const)(
  'invariant 9: identifiers under another name, which are others, delete and create nothing, are reported with the remedy, and end by themselves: %s',
  async (list, message) => {
    await edited();
    const renamed = renaming(list, id => ({ externalId: `EXT-${id}` }));
    await passes();
    expect((await told()).filter(line => !TOLD.includes(line))).toEqual([]);
    expect(JSON.stringify(world.said)).toContain(message);
    expect(JSON.stringify(world.said)).toContain('give the workspace a new name');
    renamed.cancel();
    await passes();
    expect((await told()).sort()).toEqual(TOLD);
  },
);

it('a pass that finds nothing takes a watermark back that lies ahead of its clock, which was corrected', async () => {
  world = await stage.settled();
  const { watermark } = await stage.state();
  world.pass(60_000);
  const ahead = world.clock.now + 1_800_000;
  const { readState } = world.snapshots;
  await stage.runOver({ readState: async of => ({ ...(await readState(of)), watermark: ahead }) });
  expect((await stage.state()).watermark).toBeGreaterThan(watermark);
});
