import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ANY_CHARACTER } from '../kit/any-character.ts';
import { all, ids, rig } from '../kit/service/connect.ts';
import { type Behaviour, broken, destroy, html, json, status } from '../kit/service/server.ts';

interface Served {
  readonly items: unknown[];
  readonly cursor: string;
}

const listing = fc
  .array(fc.array(fc.stringMatching(/^[a-z]{1,3}$/), { maxLength: 4 }), { minLength: 1, maxLength: 8 })
  .chain(pages => {
    const cursor = fc
      .string({ minLength: 1, maxLength: 12, unit: ANY_CHARACTER })
      .filter(text => text.isWellFormed());
    return fc
      .uniqueArray(cursor, { minLength: pages.length, maxLength: pages.length })
      .map(cursors => pages.map((items, index): Served => ({ items, cursor: cursors[index] ?? '' })));
  });

/** Cuts a list into the pages given, whatever `first` says. */
function serving(served: () => readonly Served[], property: string): Behaviour {
  return (response, request) => {
    const pages = served();
    const after = request.query.after;
    const index = after === undefined ? 0 : pages.findIndex(page => page.cursor === after) + 1;
    const page = pages[index];
    if (!page || (after !== undefined && index === 0)) return status(404)(response, request);
    const paging = { startCursor: 's', endCursor: page.cursor, hasNextPage: index < pages.length - 1 };
    json({ paging, [property]: page.items.map(id => ({ id })) })(response, request);
  };
}

test('any paging of any list yields each item once, in order', async () => {
  let pages: readonly Served[] = [];
  const { service, requests } = await rig(serving(() => pages, 'things'));
  await fc.assert(
    fc.asyncProperty(listing, fc.nat(8), async (served, start) => {
      pages = served;
      requests.length = 0;
      expect(await ids(service.tasks('p', 'q'))).toEqual(served.flatMap(page => page.items));
      expect(requests).toHaveLength(served.length);
      const behind = served[start];
      if (!behind || start === served.length - 1) return;
      const rest = await all(service.auditLog('p', behind.cursor));
      expect(rest).toEqual(served.slice(start + 1).flatMap(page => page.items.map(id => ({ id }))));
    }),
    { numRuns: 100 },
  );
});

test('any paging of any list does so through any passing failure, and any size that is too large', async () => {
  const trouble = [destroy, broken, html, status(500), status(429), status(503), status(401)];
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.option(fc.constantFrom(...trouble), { freq: 2 }), { maxLength: 12 }),
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 0, max: 30 }),
      async (failures, most, count) => {
        const left = failures.flatMap(failure => [failure, null, null]);
        const items = Array.from({ length: count }, (_, id) => ({ id }));
        const { service, connection } = await rig((response, request) => {
          const failure = left.shift();
          if (failure) return failure(response, request);
          const first = Number(request.query.first);
          if (first > most) return status(413)(response, request);
          const end = Number(request.query.after ?? 0) + first;
          const paging = { endCursor: `${end}`, hasNextPage: end < count };
          json({ projects: items.slice(end - first, end), paging })(response, request);
        });
        expect(await ids(service.projects('p'))).toEqual(items.map(item => String(item.id)));
        await connection.close();
      },
    ),
    { numRuns: 40 },
  );
});
