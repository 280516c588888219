import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { auditPage, piecesOf, projectsPage, tasksPage } from '../../bench/passes/content.ts';
import { between } from '../../bench/passes/page.ts';
import type { JsonObject } from '../../functions/basics/json.ts';

const size = { projects: 5, tasksPerProject: 4 };
const first = { from: 0, count: 500 };
type Task = JsonObject & { id: string };
const tasksOf = (text = '') => (JSON.parse(text) as { tasks: Task[] }).tasks;
/** By JSON meaning, but for the time that is ignored. */
const meaningOf = (text?: string) => tasksOf(text).map(({ lastActivityAt: _, ...fields }) => fields);

it('the measured service has each project and each task once, over all pages', () => {
  const pages = [0, 2, 4].map(from => JSON.parse(projectsPage(size, { from, count: 2 }, piecesOf(0))));
  expect(pages.map(({ paging }) => paging.hasNextPage)).toEqual([true, true, false]);
  const ids = pages.flatMap(({ projects }) => projects.map(({ id }: { id: string }) => id as string));
  expect([ids.length, new Set(ids).size]).toEqual([5, 5]);
  const tasks = ids.flatMap(id => tasksOf(tasksPage(size, id, first, piecesOf(0))));
  expect(new Set(tasks.map(({ id }) => id)).size).toBe(20);
  expect(tasksPage(size, '100006', first, piecesOf(0))).toBeUndefined();
  expect(JSON.parse(auditPage(size, { from: 200, count: 100 }))).toMatchObject({
    entries: { length: 50 },
    paging: { hasNextPage: false },
  });
});

it('the measured service has the same bytes each time, and others in each turn, by which nothing has changed', () => {
  const turns = Array.from({ length: 10 }, (_, turn) => piecesOf(turn));
  const page = (id: string, turn: number) => tasksPage(size, id, first, turns[turn] ?? []);
  fc.assert(
    fc.property(fc.constantFrom('100001', '100002', '100003'), fc.nat(9), fc.nat(9), (id, one, other) => {
      expect(page(id, one) === page(id, other)).toBe(one === other);
      expect(meaningOf(page(id, one))).toEqual(meaningOf(page(id, other)));
    }),
  );
});

it('the table takes the place of the one before, and of nothing else on the page', () => {
  const page = 'a\n<!-- printed by npm run bench -->\nold\n<!-- end of what npm run bench prints -->\nb';
  const once = between(page, 'new');
  expect(once).toMatch(/^a\n<!--.*-->\n\nnew\n\n<!--.*-->\nb$/);
  expect(between(once, 'new')).toBe(once);
  expect(() => between('a', 'new')).toThrow('<!-- printed by npm run bench -->');
  const document = readFileSync(new URL('../../docs/performance.md', import.meta.url), 'utf8');
  expect(between(document, 'new')).toContain('\n\nnew\n\n');
});
