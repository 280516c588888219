import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../functions/basics/json.ts';
import { namesIn } from '../../../functions/pass/audit-log/names.ts';
import { openStage } from '../../kit/stage.ts';
import { PROCESS } from '../../kit/world.ts';

const stage = openStage();

describe('an audit log with an entry of very many values', () => {
  it('tells what it names all the same', async () => {
    const world = await stage.create({ freedoms: { taskEditsTouchProject: false } });
    await world.run();
    await world.later('changes', 600_000);
    const values = [
      ...new Array<number>(300_000).fill(0),
      ['1002', { __proto__: null, constructor: '1003' }],
    ];
    world.service.fail({
      when: ({ path }) => path.includes('/auditlog'),
      fault: { change: body => ({ ...body, entries: [...(body.entries as []), { values } as never] }) },
    });
    world.edit.updateTask(PROCESS, '1003', '500005', { status: 'Done' });
    await world.later();
    expect(await stage.told()).toEqual(['task.updated 1003/500005 status: "To do" → "Done"']);
  });

  it('is not looked through without end', () => {
    const entry = { values: Array.from({ length: 600_000 }, (_, index) => index) };
    expect(namesIn([entry]).size).toBe(500_000);
  });
});

describe('an audit log with an entry of 4,000 levels', () => {
  it.each([true, false])('stops neither its pass nor the entries beside it: audit %s', async audit => {
    const world = await stage.create({ settings: { processes: [{ id: PROCESS, audit }] } as never });
    await world.run();
    await world.later('changes', 600_000);
    const deep = JSON.parse(`${'{"a":'.repeat(4_000)}1${'}'.repeat(4_000)}`) as JsonObject;
    world.service.fail({
      when: ({ path }) => path.includes('/auditlog'),
      fault: { change: body => ({ ...body, entries: [{ id: 'deep', deep }, ...(body.entries as [])] }) },
    });
    world.edit.updateTask(PROCESS, '1003', '500005', { status: 'Done' });
    await world.later();
    expect(await stage.told()).toContain('task.updated 1003/500005 status: "To do" → "Done"');
    const entries = (await world.events()).filter(({ type }) => type === 'audit.recorded');
    expect(entries.map(({ data }) => (data as { entry: JsonObject }).entry.id)).toEqual(
      audit ? expect.arrayContaining(['deep', world.edit.auditLog(PROCESS).at(-1)?.id]) : [],
    );
  });
});
