import assert from 'node:assert/strict';
import { configOf, SIDE } from '../config.ts';
import { until } from '../until.ts';
import { WORKSPACE, type World } from '../world.ts';

/** A process is taken out of the configuration. @returns checks, once it is in again, that it goes on from where it was */
export async function takeOut(world: World): Promise<() => Promise<void>> {
  const { report, stack, service, everything, dueDates, own, operators } = world;
  const { act } = await operators();
  const without = configOf({
    ...{ service, everything: everything.url, dueDates: dueDates.url },
    ...{ endpoints: own !== undefined, withoutSide: true },
  });
  const status = async () => {
    const { processes } = await act.ask({ operation: 'status' });
    return processes.find(({ workspace, process }) => workspace === WORKSPACE && process === SIDE);
  };
  report.part('A process that is taken out');
  await report.check('it is polled', () =>
    until(150, async () => assert.equal((await status())?.state, 'healthy')),
  );
  await report.check(
    'the configuration is deployed without it',
    async () => void (await stack.deploy(without)),
  );
  await report.check('status tells of it, and since when it is not read; no pass of it is made', async () => {
    const { state, completedAt } = (await status()) ?? {};
    assert.equal(state, 'removed');
    assert.ok(Date.parse(completedAt ?? '') > 0);
    const asked = act.ask({ operation: 'pass', process: SIDE, mode: 'changes' });
    await assert.rejects(asked, /This process is no longer configured/);
    return `last read ${completedAt}`;
  });
  const [project = ''] = service.workspace.projects(SIDE).map(({ id }) => String(id));
  service.workspace.updateProject(SIDE, project, { summary: 'while-it-was-out' });
  return () =>
    report.check('what changed while a process was taken out is told, and published', () =>
      until(240, async () => {
        const { events } = await act.ask({ operation: 'events', process: SIDE, limit: 100 });
        assert.deepEqual(
          events.map(({ event }) => event.type),
          ['project.updated'],
        );
        assert.match(JSON.stringify(events), /while-it-was-out/);
        const { published } = await act.ask({ operation: 'trace', eventId: events[0]?.event.id ?? '' });
        assert.notEqual(published, 'no');
      }),
    );
}
