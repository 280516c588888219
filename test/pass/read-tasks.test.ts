import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../functions/basics/json.ts';
import type { Pass } from '../../functions/pass/pass.ts';
import { readTasks } from '../../functions/pass/read-tasks.ts';
import { ServiceAnswerError, ServiceStatusError } from '../../functions/service/errors.ts';

const AT = Date.UTC(2026, 10, 21, 12);
const missing = new ServiceStatusError('GET /tasks', 404, 'no such project');
const tasks = (...ids: string[]) => new Map<string, JsonObject>(ids.map(id => [id, { id }]));

/** Reads the tasks of a service that answers each reading with the next of these: pages of identifiers, or an error. Each
 *  page is read a second after the one before. */
function reading(
  readings: (string[][] | Error)[],
  { held, baselined = true }: { held?: ReadonlyMap<string, JsonObject>; baselined?: boolean } = {},
) {
  let asked = 0;
  let kept = 0;
  let now = AT;
  const pass = {
    parts: {
      process: { workspace: 'eu', processId: 'p' },
      state: { baselined },
      clock: () => now,
      service: {
        async *tasks(processId: string, projectId: string) {
          expect([processId, projectId]).toEqual(['p', '7']);
          const pages = readings[Math.min(asked++, readings.length - 1)] ?? [];
          if (pages instanceof Error) throw pages;
          for (const ids of pages) {
            now += 1_000;
            yield { items: ids.map(id => ({ id, fields: { id } })), readAt: now, clock: 'service' };
          }
        },
      },
    },
    keepAlive: async () => {
      kept += 1;
    },
  } as unknown as Pass;
  return { read: readTasks(pass, '7', held), asked: () => asked, kept: () => kept };
}

describe('the tasks of a project', () => {
  it('are read once where they fit one page, whatever is lacking, in a baseline, too', async () => {
    for (const baselined of [true, false]) {
      const { read, asked } = reading([[['1', '2']]], { held: tasks('1', '3'), baselined });
      expect(await read).toMatchObject({
        tasks: tasks('1', '2'),
        readAt: AT + 1_000,
        readBefore: AT + 2_000,
      });
      expect((await read)?.restless).toBeUndefined();
      expect(asked()).toBe(1);
    }
  });

  it('are read once from several pages that lack no task which is held', async () => {
    const { read, asked, kept } = reading([[['1'], ['2'], ['3']]], { held: tasks('1', '3') });
    expect(await read).toMatchObject({
      tasks: tasks('1', '2', '3'),
      readAt: AT + 1_000,
      readBefore: AT + 4_000,
    });
    expect([asked(), kept()]).toEqual([1, 3]);
  });

  it('invariant 2: of several pages are read twice for the first time: what was passed over would be new only later', async () => {
    const made = reading([
      [['1'], ['2']],
      [['1'], ['2', '3']],
    ]);
    expect((await made.read)?.tasks).toEqual(tasks('1', '2', '3'));
    expect(made.asked()).toBe(2);
  });

  it('invariant 2: of several pages are read twice in a baseline, which may have passed over a new one', async () => {
    const { read, asked } = reading(
      [
        [['1'], ['2']],
        [['1'], ['2', '3']],
      ],
      { baselined: false },
    );
    expect((await read)?.tasks).toEqual(tasks('1', '2', '3'));
    expect(asked()).toBe(2);
  });

  it('invariant 9: that lack one that is held are read until nothing is lacking that was there, as of the first reading', async () => {
    const { read, asked } = reading(
      [
        [['1'], ['2'], ['3']],
        [['1'], ['2']],
        [['1'], ['2']],
      ],
      { held: tasks('4') },
    );
    expect(await read).toEqual({
      tasks: tasks('1', '2'),
      pages: 2,
      readAt: AT + 1_000,
      readBefore: AT + 8_000,
    });
    expect(asked()).toBe(3);
  });

  it('are at rest when they fit one page at last', async () => {
    const { read, asked } = reading([[['1'], ['2']], [['1']], [['1'], ['2']]], { held: tasks('4') });
    expect((await read)?.tasks).toEqual(tasks('1'));
    expect(asked()).toBe(2);
  });

  it('invariant 9: that never come to rest count all that were seen in five readings, and those that are held', async () => {
    const readings = ['1', '2', '3', '4', '5', '6'].map(id => [[id], ['x']]);
    const { read, asked } = reading(readings, { held: tasks('9') });
    expect(await read).toEqual({
      tasks: tasks('9', '1', 'x', '2', '3', '4', '5'),
      pages: 2,
      readAt: AT + 1_000,
      readBefore: AT + 11_000,
      restless: true,
    });
    expect(asked()).toBe(5);
    const inBaseline = reading(readings, { baselined: false });
    expect([...((await inBaseline.read)?.tasks.keys() ?? [])]).toEqual(['1', 'x', '2', '3', '4', '5']);
  });

  it('are missing when the service says so, in any reading', async () => {
    expect(await reading([missing]).read).toBeUndefined();
    expect(await reading([[['1'], ['2']], missing], { held: tasks('4') }).read).toBeUndefined();
  });

  it('are not missing when the service fails otherwise', async () => {
    const refused = new ServiceStatusError('GET /tasks', 403, 'denied');
    await expect(reading([refused]).read).rejects.toBe(refused);
    const other = Object.assign(new Error('ours'), { status: 404 });
    await expect(reading([other]).read).rejects.toBe(other);
  });

  it('are none, read now, where no page comes', async () => {
    expect(await reading([[]]).read).toEqual({ tasks: tasks(), pages: 0, readAt: AT, readBefore: AT });
  });

  it('can not be used with one that can not be used', async () => {
    const flaw = new ServiceAnswerError('GET /tasks', { path: '$', expected: 'an id', found: 'none' });
    const pass = {
      parts: {
        process: { workspace: 'eu', processId: 'p' },
        service: {
          async *tasks() {
            yield { items: [{ id: '1', fields: {}, flaw }], readAt: AT, clock: 'service' };
          },
        },
      },
    } as unknown as Pass;
    await expect(readTasks(pass, '7', undefined)).rejects.toBe(flaw);
  });
});
