import { describe, expect, it } from 'vitest';
import { MAX_ATTEMPTS, PAGE, readLastAttempts } from '../../console/state/last-attempts.ts';

const MINUTE = 60_000;
const NOW = Date.UTC(2026, 10, 24, 12);
const attempt = (minutesAgo: number, id = 'e') => ({
  ...{ endpoint: 'crm', at: new Date(NOW - minutesAgo * MINUTE).toISOString() },
  events: [{ id: `${id}${minutesAgo}`, type: 'task.updated' }],
  took: 1,
});
type Attempts = readonly ReturnType<typeof attempt>[];

/** An endpoint with these attempts, newest first, and how many pages were read. */
function endpoint(attempts: Attempts) {
  let pages = 0;
  const ask = async ({ cursor = '0' }: { readonly cursor?: string }) => {
    pages += 1;
    const end = Number(cursor) + PAGE;
    const next = end < attempts.length ? { cursor: String(end) } : {};
    return { attempts: attempts.slice(Number(cursor), end), ...next };
  };
  return { ask, pages: () => pages };
}
const each = (count: number, minutes: number) =>
  Array.from({ length: count }, (_, index) => attempt(index * minutes));

describe("an endpoint's last attempts", () => {
  it('are read back to a week ago', async () => {
    const { ask, pages } = endpoint(each(3_000, 20));
    const read = await readLastAttempts(undefined, ask, NOW);
    expect([pages(), read.isCut]).toEqual([6, false]);
  });

  it('are at most 2,000, and say that older ones are missing', async () => {
    const { ask, pages } = endpoint(each(5_000, 1));
    const read = await readLastAttempts(undefined, ask, NOW);
    expect([pages(), read.attempts.length, read.isCut]).toEqual([MAX_ATTEMPTS / PAGE, MAX_ATTEMPTS, true]);
    expect((await readLastAttempts(read, ask, NOW)).isCut).toBe(true);
  });

  it('are added to the known ones by a later reading: each once, also those that were saved late', async () => {
    const before = each(1_000, 1).slice(10);
    const known = await readLastAttempts(undefined, endpoint(before).ask, NOW - 10 * MINUTE);
    const recent = Array.from({ length: PAGE - 2 }, (_, index) => attempt(index / 20));
    const [first, ...others] = before as [Attempts[number], ...Attempts];
    const late = [attempt(10.5), attempt(11, 'late')];
    const { ask, pages } = endpoint([...recent, first, ...late, ...others]);
    const read = await readLastAttempts(known, ask, NOW);
    expect([pages(), read.attempts.length, read.isCut]).toEqual([2, recent.length + 2 + 990, false]);
    expect(read.attempts).toEqual(expect.arrayContaining(late));
  });

  it('leave out the known ones if not all between them were read', async () => {
    const known = await readLastAttempts(undefined, endpoint([attempt(2_500)]).ask, NOW);
    const read = await readLastAttempts(known, endpoint(each(3_000, 1)).ask, NOW);
    expect([read.attempts.length, read.isCut]).toEqual([MAX_ATTEMPTS, true]);
  });
});
