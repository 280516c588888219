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

test('paging yields the whole list in its order; under edits between pages it never errs, repeats nothing, and misses nothing that stayed', async () => {
  const { service, get } = await start();
  const { workspace } = service;
  for (let count = 0; count < 9; count += 1) workspace.createTask('p', '1001', { name: `Extra ${count}` });
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
  const steps = fc.array(fc.tuple(fc.nat(4), fc.nat(50)), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...LISTS),
      fc.integer({ min: 1, max: 5 }),
      fc.boolean(),
      fc.option(steps, { nil: [] }),
      async ([path, name], first, newestFirst, edits) => {
        service.freedoms.auditOrder = newestFirst ? 'newest-first' : 'oldest-first';
        const before = list(await get(path), name).map(({ id }) => id);
        const left = [...edits];
        const seen = await walk(get, path, name, first, () => {
          const next = left.shift();
          if (next) edit(...next);
        });
        const after = new Set(list(await get(path), name).map(({ id }) => id));
        expect(new Set(seen).size).toBe(seen.length);
        if (edits.length === 0) expect(seen).toEqual(before);
        expect(seen).toEqual(expect.arrayContaining(before.filter(id => after.has(id))));
      },
    ),
    { numRuns: 25 },
  );
});
