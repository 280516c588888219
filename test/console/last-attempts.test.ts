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
  });

  it('are added to the known ones by a later reading: each once, also one that was saved late', async () => {
    const all = each(1_000, 1);
    const known = await readLastAttempts(undefined, endpoint(all.slice(10)).ask, NOW - 10 * MINUTE);
    const late = attempt(11, 'late');
    const { ask, pages } = endpoint([...all.slice(0, 11), late, ...all.slice(11)]);
    const read = await readLastAttempts(known, ask, NOW);
    expect([pages(), read.attempts.length, read.isCut]).toEqual([1, 1_001, false]);
    expect(read.attempts).toContain(late);
  });

  it('leave out the known ones if not all between them were read', async () => {
    const known = await readLastAttempts(undefined, endpoint([attempt(2_500)]).ask, NOW);
    const read = await readLastAttempts(known, endpoint(each(3_000, 1)).ask, NOW);
    expect([read.attempts.length, read.isCut]).toEqual([MAX_ATTEMPTS, true]);
  });
});
