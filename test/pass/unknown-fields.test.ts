import { describe, expect, it } from 'vitest';
import type { PollDependencies } from '../../functions/handlers/workspace-run.ts';
import { openStage } from '../kit/stage.ts';
import { PROCESS, type World } from '../kit/world.ts';

const stage = openStage();
let world: World;

interface Named {
  readonly rules?: readonly object[];
  readonly filters?: readonly object[];
}

/** Two passes with these rules and filters. @returns the warnings about fields, and how often snapshots were read */
async function warnings({ rules = [], filters = [] }: Named) {
  const processes = world.workspace.processes.map(process => ({ ...process, rules }));
  const before = world.said.length;
  let reads = 0;
  const snapshots: World['snapshots'] = {
    ...world.snapshots,
    heads: (...process) => {
      reads++;
      return world.snapshots.heads(...process);
    },
  };
  const more = { workspaces: [{ ...world.workspace, processes }], filters, snapshots };
  const poll = world.poller(more as never as Partial<PollDependencies>);
  for (let pass = 0; pass < 2; pass++) await world.run('changes', { poll });
  const said = world.said
    .slice(before)
    .filter(({ details }) => JSON.stringify(details).includes('"fields.unknown"'));
  return { said: said.map(({ message }) => message), reads };
}

describe('a field that the configuration names and no record has', () => {
  it('is logged once, with its place and the name that was meant', async () => {
    world = await stage.settled();
    const where = [{ dueDat: { exists: true }, 'projekt.state': { exists: true }, name: { exists: true } }];
    const rules = [
      { event: 'project.unchanged', after: '14d' },
      { event: 'task.due', field: 'Nowhere', where },
      { event: 'project.due', field: 'state' },
    ];
    const { said } = await warnings({ rules });
    expect(said).toEqual([
      `rules[1].field: no task of ${PROCESS} has the field "Nowhere".`,
      `rules[1].where: no task of ${PROCESS} has the field "dueDat". Did you mean "dueDate"?`,
      `rules[1].where: no task of ${PROCESS} has the field "projekt.state". Did you mean "project.state"?`,
    ]);
    const edited = await warnings({ rules: [{ event: 'task.due', field: 'duedate' }] });
    expect(edited.said).toEqual([
      `rules[0].field: no task of ${PROCESS} has the field "duedate". Did you mean "dueDate"?`,
    ]);
  });

  it('of an endpoint for several processes is only logged if it is close to another one', async () => {
    world = await stage.settled();
    const filters = [
      {
        name: 'all',
        filter: { fields: ['dueDat', 'Of another process'], where: [{ name: {} }, { nam: {} }] },
      },
      { name: 'one', filter: { processes: [PROCESS], values: [{ field: 'Nowhere', to: ['x'] }] } },
      { name: 'other', filter: { processes: ['other'], fields: ['dueDat'] } },
      { name: 'elsewhere', filter: { workspaces: ['elsewhere'], fields: ['dueDat'] } },
    ];
    const { said } = await warnings({ filters });
    const none = `no project or task of ${PROCESS} has the field`;
    expect(said).toEqual([
      `endpoint all, filter.fields[0]: ${none} "dueDat". Did you mean "dueDate"?`,
      `endpoint all, filter.where[1]: ${none} "nam". Did you mean "name"?`,
      `endpoint one, filter.values[0].field: ${none} "Nowhere".`,
    ]);
  });

  it('is searched once, and none of the others', async () => {
    world = await stage.settled();
    const filters = [
      { name: 'crm', filter: { fields: ['dueDate', 'Start date', 'name'], where: [{ 'project.name': {} }] } },
    ];
    expect(await warnings({ filters })).toEqual({ said: [], reads: 1 });
    expect(await warnings({ filters })).toEqual({ said: [], reads: 0 });
  });
});
