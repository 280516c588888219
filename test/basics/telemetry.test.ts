import { describe, expect, it } from 'vitest';
import { EventLines, type Log, logEvents, MAX_IDS } from '../../functions/basics/telemetry.ts';

const ids = (count: number) => Array.from({ length: count }, (_, index) => `e${index}`);

function heard() {
  const lines: { readonly message: string; readonly events: readonly string[] }[] = [];
  const info = (message: string, details?: object) =>
    void lines.push({ message, ...(details as { events: readonly string[] }) });
  return { lines, log: { info, warn: info, error: info } satisfies Log };
}

describe('what is told of events', () => {
  it.each([
    [0, [0]],
    [1, [1]],
    [MAX_IDS, [MAX_IDS]],
    [MAX_IDS + 1, [MAX_IDS, 1]],
  ])('is one line of %i ids where they fit, and further ones of the same details', (count, sizes) => {
    const { lines, log } = heard();
    logEvents(log, 'It ended.', ids(count), { endpoint: 'crm' });
    expect(lines.map(({ events }) => events.length)).toEqual(sizes);
    expect(lines.flatMap(({ events }) => events)).toEqual(ids(count));
    for (const line of lines) expect(line).toMatchObject({ message: 'It ended.', endpoint: 'crm' });
  });

  it('invariant 7: is written as soon as a line is full, however many follow', () => {
    const written: (readonly string[])[] = [];
    const lines = new EventLines(some => written.push(some));
    lines.add(ids(150));
    lines.add(ids(50));
    expect(written).toEqual([]);
    lines.add(ids(1 + MAX_IDS));
    expect(written.map(some => some.length)).toEqual([MAX_IDS, MAX_IDS]);
    expect(lines.rest()).toHaveLength(1);
    expect(lines.rest()).toEqual([]);
  });
});
