import { afterEach, describe, expect, it } from 'vitest';
import type { ProcessKey } from '../../functions/basics/process.ts';
import { AT, type OpenContext, openContext, PROCESSES, STORES } from '../kit/operations/context.ts';
import { askIn } from '../kit/operations/setting.ts';

const [onboarding, sales] = PROCESSES as [ProcessKey, ProcessKey];

describe.each(STORES)('over %s, a record', (_, open) => {
  let context: OpenContext;
  afterEach(() => context.close());
  const ask = () => askIn(context);
  async function put(process: ProcessKey, projectId: string): Promise<void> {
    const tasks = new Map([['t1', { id: 't1', title: 'Call' }]]);
    const content = { record: { id: projectId, name: 'Acme' }, tasks };
    const snapshot = { version: AT, content, recordReadAt: AT - 2, tasksReadAt: AT - 1 };
    const request = { projectId, expected: undefined, snapshot, version: AT, events: [], at: AT };
    expect(await context.snapshots.commit(process, request)).toBe('committed');
  }

  it('is shown as it was last read, a project with the number of its tasks', async () => {
    context = openContext(open);
    await put(onboarding, 'p1');
    const project = { id: 'p1', name: 'Acme' };
    expect(await ask()('record', { project: 'p1' })).toEqual({
      ...{ workspace: 'eu', process: onboarding.processId, project, tasks: 1 },
      ...{ sequence: String(AT), readAt: new Date(AT - 2).toISOString() },
      record: { id: 'p1', name: 'Acme' },
    });
    const asked = { process: onboarding.processId, project: 'p1', task: 't1' };
    expect(await ask()('record', asked)).toMatchObject({
      ...{ project, task: { id: 't1', name: 'Call' }, record: { id: 't1', title: 'Call' } },
      readAt: new Date(AT - 1).toISOString(),
    });
  });

  it('is refused where there is none, and where several processes have it', async () => {
    context = openContext(open);
    await put(onboarding, 'p1');
    await put(sales, 'p1');
    expect(await ask()('record', { process: 'sales', project: 'p1' })).toMatchObject({ process: 'sales' });
    for (const [asked, why] of [
      [
        { project: 'p1' },
        'Several processes have a project with this id. Specify one: on boarding (eu), sales (us).',
      ],
      [{ project: 'p2' }, 'There is no project with this id. If it'],
      [{ process: 'sales', project: 'p1', task: 't2' }, 'This project has no task with this id.'],
      [{ process: 'sale', project: 'p1' }, 'Did you mean sales?'],
    ] as const)
      await expect(ask()('record', asked)).rejects.toThrow(why);
  });
});
