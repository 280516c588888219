import fc from 'fast-check';
import { expect, test } from 'vitest';
import { list, paging, start } from '../kit/simulator.ts';

const LISTS = [
  ['/processes/p/projects', 'projects'],
  ['/processes/p/projects/1001/tasks', 'tasks'],
  ['/processes/p/auditlog', 'entries'],
  ['/users', 'users'],
] as const;

type Get = Awaited<ReturnType<typeof start>>['get'];

async function walk(
  get: Get,
  path: string,
  name: string,
  first: number,
  between: () => void,
): Promise<unknown[]> {
  const ids: unknown[] = [];
  for (let after = ''; ; ) {
    const answer = await get(`${path}?first=${first}${after}`);
    expect([answer.status, answer.body.error]).toEqual([200, undefined]);
    const items = list(answer, name);
    expect(items.length).toBeLessThanOrEqual(first);
    ids.push(...items.map(({ id }) => id));
    if (!paging(answer).hasNextPage) return ids;
    expect(items).not.toEqual([]);
    after = `&after=${paging(answer).endCursor}`;
    between();
  }
}

const cases = {
  which: fc.constantFrom(...LISTS),
  first: fc.integer({ min: 1, max: 20 }),
  newestFirst: fc.boolean(),
};

async function prepared() {
  const { service, get } = await start();
  for (let count = 0; count < 9; count += 1)
    service.workspace.createTask('p', '1001', { name: `Extra ${count}` });
  return { service, get };
}

test('without edits, paging yields each item once, in the order of the whole list', async () => {
  const { service, get } = await prepared();
  await fc.assert(
    fc.asyncProperty(
      cases.which,
      cases.first,
      cases.newestFirst,
      async ([path, name], first, newestFirst) => {
        service.freedoms.auditOrder = newestFirst ? 'newest-first' : 'oldest-first';
        const whole = list(await get(path), name).map(({ id }) => id);
        expect(whole).not.toEqual([]);
        expect(await walk(get, path, name, first, () => {})).toEqual(whole);
      },
    ),
    { numRuns: 25 },
  );
});

test('under edits between pages, paging never errs, repeats nothing, and misses nothing that stayed', async () => {
  const { service, get } = await prepared();
  const { workspace } = service;
  const edit = (kind: number, at: number) => {
    const projects = workspace.projects('p').map(({ id }) => String(id));
    const tasks = workspace.tasks('p', '1001').map(({ id }) => String(id));
    const [project, task] = [projects[at % projects.length], tasks[at % tasks.length]];
    if (kind === 0) workspace.createTask('p', '1001');
    else if (kind === 1) workspace.createProject('p');
    else if (kind === 2 && task !== undefined && tasks.length > 6) workspace.deleteTask('p', '1001', task);
    else if (kind === 3 && project !== undefined && project !== '1001') workspace.deleteProject('p', project);
    else if (task !== undefined) workspace.updateTask('p', '1001', task, { name: `Edited ${at}` });
  };
  const steps = fc.array(fc.tuple(fc.nat(4), fc.nat(50)), { minLength: 1, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(
      cases.which,
      fc.integer({ min: 1, max: 5 }),
      steps,
      async ([path, name], first, edits) => {
        const before = list(await get(path), name).map(({ id }) => id);
        const left = [...edits];
        const seen = await walk(get, path, name, first, () => {
          const next = left.shift();
          if (next) edit(...next);
        });
        const after = new Set(list(await get(path), name).map(({ id }) => id));
        expect(new Set(seen).size).toBe(seen.length);
        expect(seen).toEqual(expect.arrayContaining(before.filter(id => after.has(id))));
      },
    ),
    { numRuns: 25 },
  );
});
