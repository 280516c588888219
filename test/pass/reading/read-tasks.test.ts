import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../functions/basics/json.ts';
import { digest as digestOf } from '../../../functions/pass/reading/digest.ts';
import { readTasks, type Same, type TasksRead } from '../../../functions/pass/reading/read-tasks.ts';
import { ServiceAnswerError, ServiceStatusError } from '../../../functions/service/errors.ts';
import { passContext } from '../../kit/pass/context.ts';

const AT = Date.UTC(2026, 10, 21, 12);
const notFound = new ServiceStatusError('GET /tasks', 404, 'no such project');
const tasks = (...ids: string[]) => new Map<string, JsonObject>(ids.map(id => [id, { id }]));

interface Known {
  /** The tasks that the snapshot has. */
  readonly known?: ReadonlyMap<string, JsonObject>;
  readonly digest?: string | undefined;
  /** By which clock each page of a reading tells its time; by the service's where none is given. */
  readonly clocks?: readonly ('service' | 'local')[];
}

/** Reads the tasks of a service that answers each reading with the next of these: pages of identifiers, or an error. Each
 *  page is read a second after the one before; its digest is its identifiers. */
function reading(readings: (string[][] | Error)[], { known, digest, clocks = [] }: Known = {}) {
  const counts = { asked: 0, beats: 0, parsed: 0, loaded: 0 };
  /** For each reading whether a page with the digest '1,2', and one with none, would be known. */
  const areKnown: boolean[][] = [];
  let now = AT;
  const context = passContext({
    clock: () => now,
    service: {
      async *tasks(
        processId: string,
        projectId: string,
        { isKnown }: { isKnown: (digest: string) => boolean },
      ) {
        expect([processId, projectId]).toEqual(['p', '7']);
        areKnown.push(['1,2', ''].map(isKnown));
        const pages = readings[Math.min(counts.asked++, readings.length - 1)] ?? [];
        if (pages instanceof Error) throw pages;
        for (const [index, ids] of pages.entries()) {
          now += 1_000;
          yield {
            get items() {
              counts.parsed += 1;
              return ids.map(id => ({ id, fields: { id } }));
            },
            ...{ digest: ids.join(), readAt: now, clock: clocks[index] ?? 'service' },
          };
        }
      },
    },
    heartbeat: { beat: async () => void counts.beats++ },
  });
  const load = async () => {
    counts.loaded += 1;
    return known;
  };
  return { read: () => readTasks(context, '7', { digest, load }), counts, areKnown };
}

const read = async (...given: Parameters<typeof reading>) => (await reading(...given).read()) as TasksRead;

/** The readings of a list that loses a task after the first, and then stays. */
const shrinking = [[['1'], ['2'], ['3']], ...Array.from({ length: 2 }, () => [['1'], ['2']])];

describe('the tasks of a project', () => {
  it('are read at no time of the service where its last page tells none', async () => {
    const timed = async (...clocks: ('service' | 'local')[]) => read([[['1'], ['2']]], { clocks });
    expect((await timed('service', 'local')).untimed).toBe(true);
    expect(await timed('local', 'service')).not.toHaveProperty('untimed');
  });

  it('are read once where they fit one page, whatever is lacking, or if none are known', async () => {
    for (const known of [{ known: tasks('1', '3') }, {}]) {
      const one = reading([[['1', '2']]], known);
      expect(await one.read()).toEqual({
        ...{ tasks: tasks('1', '2'), readAt: AT + 1_000, readBefore: AT + 2_000, digest: '1,2' },
      });
      expect(one.counts).toMatchObject({ asked: 1, loaded: 0 });
    }
  });

  it('are read once from several pages that lack none of those known', async () => {
    const several = reading([[['1'], ['2'], ['3']]], { known: tasks('1', '3') });
    expect(await several.read()).toMatchObject({
      ...{ tasks: tasks('1', '2', '3'), readAt: AT + 1_000, readBefore: AT + 4_000 },
    });
    expect(several.counts).toMatchObject({ asked: 1, beats: 3 });
  });

  it('invariant 2: of several pages are read twice for the first time: what was passed over would be new only later', async () => {
    const made = reading([
      [['1'], ['2']],
      [['1'], ['2', '3']],
    ]);
    expect(await made.read()).toMatchObject({ tasks: tasks('1', '2', '3') });
    expect(made.counts.asked).toBe(2);
  });

  it('invariant 9: that lack one of those known are read until nothing is lacking that was there, as of the first reading', async () => {
    const several = reading(shrinking, { known: tasks('4') });
    expect(await several.read()).toEqual({
      ...{ tasks: tasks('1', '2'), readAt: AT + 1_000, readBefore: AT + 8_000 },
      digest: expect.any(String),
    });
    expect(several.counts.asked).toBe(3);
  });

  it('are at rest when they fit one page at last', async () => {
    const several = reading([[['1'], ['2']], [['1']], [['1'], ['2']]], { known: tasks('4') });
    expect(await several.read()).toMatchObject({ tasks: tasks('1'), readAt: AT + 1_000, digest: '1' });
    expect(several.counts.asked).toBe(2);
  });

  it('invariant 9: that never come to rest are all that were seen in five readings, and those known; no digest stands for them', async () => {
    const readings = ['1', '2', '3', '4', '5', '6'].map(id => [[id], ['x']]);
    const restless = reading(readings, { known: tasks('9') });
    expect(await restless.read()).toEqual({
      tasks: tasks('9', '1', 'x', '2', '3', '4', '5'),
      ...{ readAt: AT + 1_000, readBefore: AT + 11_000, digest: undefined, isUnstable: true },
    });
    expect(restless.counts.asked).toBe(5);
    const first = await read(readings);
    expect([...first.tasks.keys()]).toEqual(['1', 'x', '2', '3', '4', '5']);
  });

  it('are not there when the service says so, in any reading, and not gone when it fails otherwise', async () => {
    const gone = new ServiceStatusError('GET /tasks', 410, 'gone');
    for (const each of [notFound, gone]) expect(await reading([each]).read()).toBeUndefined();
    expect(await reading([[['1'], ['2']], notFound], { known: tasks('4') }).read()).toBeUndefined();
    const refused = new ServiceStatusError('GET /tasks', 403, 'denied');
    await expect(reading([refused]).read()).rejects.toBe(refused);
    const other = Object.assign(new Error('ours'), { status: 404 });
    await expect(reading([other]).read()).rejects.toBe(other);
  });

  it('are none, read now, where no page comes', async () => {
    expect(await read([[]])).toMatchObject({ tasks: tasks(), readAt: AT, readBefore: AT });
  });

  it('cannot be used with one that cannot be used', async () => {
    const flaw = new ServiceAnswerError('GET /tasks', { path: '$', expected: 'an id', found: 'none' });
    const context = passContext({
      service: {
        async *tasks() {
          yield { items: [{ id: '1', fields: {}, flaw }], digest: 'd', readAt: AT, clock: 'service' };
        },
      },
    });
    await expect(readTasks(context, '7', { load: async () => undefined })).rejects.toBe(flaw);
  });
});

describe('the digest of the tasks', () => {
  const same = (readAt: number): Same => ({ isSame: true, readAt });

  it('says that one page is the same: it is not parsed, and what is known is not loaded', async () => {
    const one = reading([[['1', '2']]], { digest: '1,2' });
    expect(await one.read()).toEqual(same(AT + 1_000));
    expect(one.counts).toEqual({ asked: 1, beats: 1, parsed: 0, loaded: 0 });
  });

  it('lets the service leave out the reading of a page that is the same, and of no other; nor of any later', async () => {
    const one = reading([[['1'], ['2']]], { digest: '1,2' });
    await one.read();
    expect(one.areKnown).toEqual([
      [true, false],
      [false, false],
    ]);
  });

  it('says so of several pages, too', async () => {
    const pages = [[['1'], ['2'], ['3']]];
    const { digest } = await read(pages, { known: tasks('1') });
    const again = reading(pages, { digest });
    expect(await again.read()).toEqual(same(AT + 1_000));
    expect(again.counts).toMatchObject({ asked: 1, parsed: 0, loaded: 0 });
  });

  it.each([
    ['a task more', [['1', '2', '3']]],
    ['a task less', [['1']]],
    ['another order', [['2', '1']]],
    ['none', [[]]],
    ['two pages', [['1', '2'], ['3']]],
    ['no digest', [['1']], { digest: undefined }],
  ])(
    'invariant 1: says nothing of what has %s',
    async (_, pages, known: Known = { digest: '1,2', known: tasks('1') }) => {
      expect(await reading([pages], known).read()).toMatchObject({ tasks: tasks(...pages.flat()) });
    },
  );

  it('invariant 1: of several pages is another one where rows only moved between them', async () => {
    const digests = [
      [['1'], ['2']],
      [['1', '2'], []],
      [['2'], ['1']],
      [['1'], ['2'], []],
    ].map(async pages => (await read([pages], { known: tasks() })).digest);
    expect(new Set(await Promise.all(digests)).size).toBe(4);
  });

  it('is that of the last reading, whose tasks were taken', async () => {
    const { digest } = await read(shrinking, { known: tasks('4') });
    expect(digest).toBe((await read([[['1'], ['2']]], { known: tasks() })).digest);
  });
});

it('a digest is the same in every release, 16 characters, and another one for another order of keys', () => {
  expect(digestOf({ id: '7', name: 'Acme' })).toBe('vWdWQBR_YT7gviF7');
  expect(digestOf({ a: 1, b: 2 })).not.toBe(digestOf({ b: 2, a: 1 }));
});
