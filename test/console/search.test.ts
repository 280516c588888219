import { describe, expect, it } from 'vitest';
import { EVERYTHING } from '../../console/model/line-filter.ts';
import { createSearch, type Search } from '../../console/state/search.ts';
import type { Session } from '../../console/state/session.ts';

/** A journal of so many pages, each of 1,000 events of which these match, and a search of it. */
function open(pages: number, matching: (page: number) => number) {
  const asked: Record<string, unknown>[] = [];
  const ask = async (request: Record<string, unknown>) => {
    asked.push(request);
    const page = Number(request.cursor ?? 0);
    const committedAt = new Date(Date.UTC(2026, 10, 23) - page * 60_000).toISOString();
    const events = Array.from({ length: matching(page) }, (_, index) => ({
      committedAt,
      event: { id: `${page}.${index}`, type: 'task.updated', data: {} },
    }));
    const next = page + 1 < pages ? { cursor: String(page + 1) } : {};
    return { at: committedAt, events, readTo: committedAt, searched: 1_000, ...next };
  };
  const session = { ask, persist: (once: () => unknown) => once() } as unknown as Session;
  let last: Search | undefined;
  const { signal } = new AbortController();
  const begin = createSearch(session, { ...EVERYTHING, words: 'needle' }, search => (last = search), signal);
  return { begin, asked, last: () => last as Search };
}

describe('a search of the journal', () => {
  it('that finds nothing stops after some pages, says how far it came, and goes on from there', async () => {
    const { begin, asked, last } = open(45, page => (page === 44 ? 1 : 0));
    await begin();
    expect(asked).toHaveLength(20);
    expect(asked[1]).toMatchObject({ operation: 'events', search: 'needle', cursor: '1' });
    expect(last()).toMatchObject({ state: 'more', searched: 20_000, lines: [] });
    expect(last().readTo).toBe(new Date(Date.UTC(2026, 10, 23) - 19 * 60_000).toISOString());
    await last().further();
    expect(last()).toMatchObject({ state: 'more', searched: 40_000, lines: [] });
    await last().further();
    expect(last()).toMatchObject({ state: 'all', searched: 45_000, lines: [{ id: '44.0' }] });
    const cursors = Array.from({ length: 45 }, (_, at) => String(at));
    expect(asked.map(({ cursor }) => cursor ?? '0')).toEqual(cursors);
  });

  it('stops once it found a hundred', async () => {
    const { begin, asked, last } = open(9, () => 40);
    await begin();
    expect(asked).toHaveLength(3);
    expect(last()).toMatchObject({ state: 'more', searched: 3_000 });
    expect(new Set(last().lines.map(({ id }) => id)).size).toBe(120);
  });
});
