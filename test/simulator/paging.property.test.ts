import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AUDIT, list, PROJECTS, paging, start, TASKS } from '../kit/simulator.ts';

const WALKS = fc.record({
  walked: fc.constantFrom([PROJECTS, 'projects'], [TASKS, 'tasks'], [AUDIT, 'entries'], ['/users', 'users']),
  first: fc.integer({ min: 1, max: 5 }),
  auditOrder: fc.constantFrom('newest-first' as const, 'oldest-first' as const),
  edits: fc.option(fc.array(fc.tuple(fc.nat(4), fc.nat(50)), { maxLength: 12 }), { nil: [] }),
});
test('paging yields the whole list in its order; under edits between pages it never errs, repeats nothing, and misses nothing that stayed', async () => {
  const { edit, freedoms, get } = await start();
  for (let count = 0; count < 9; count += 1) edit.createTask('p', '1001', { name: `Extra ${count}` });
  const change = (kind: number, at: number) => {
    const projects = edit.projects('p').map(({ id }) => String(id));
    const tasks = edit.tasks('p', '1001').map(({ id }) => String(id));
    const [project, task] = [projects[at % projects.length], tasks[at % tasks.length]];
    if (kind === 0) edit.createTask('p', '1001');
    else if (kind === 1) edit.createProject('p');
    else if (kind === 2 && task !== undefined && tasks.length > 6) edit.deleteTask('p', '1001', task);
    else if (kind === 3 && project !== undefined && project !== '1001') edit.deleteProject('p', project);
    else if (task !== undefined) edit.updateTask('p', '1001', task, { name: `Edited ${at}` });
  };
  await fc.assert(
    fc.asyncProperty(WALKS, async ({ walked: [path = '', name = ''], first, auditOrder, edits }) => {
      freedoms.auditOrder = auditOrder;
      const ids = async () => list(await get(path), name).map(({ id }) => id);
      const before = await ids();
      const left = [...edits];
      const seen: unknown[] = [];
      for (let after: string | undefined = ''; after !== undefined; ) {
        const answer = await get(`${path}?first=${first}${after}`);
        expect([answer.status, answer.body.error]).toEqual([200, undefined]);
        const items = list(answer, name);
        expect(items.length).toBeLessThanOrEqual(first);
        seen.push(...items.map(({ id }) => id));
        const { hasNextPage, endCursor } = paging(answer);
        if (hasNextPage) expect(items).not.toEqual([]);
        after = hasNextPage ? `&after=${endCursor}` : undefined;
        const next = left.shift();
        if (next) change(...next);
      }
      const rest = new Set(await ids());
      expect(new Set(seen).size).toBe(seen.length);
      if (edits.length === 0) expect(seen).toEqual(before);
      expect(seen).toEqual(expect.arrayContaining(before.filter(id => rest.has(id))));
    }),
    { numRuns: 25 },
  );
});
