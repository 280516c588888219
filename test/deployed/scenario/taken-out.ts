import assert from 'node:assert/strict';
import { configOf } from '../config.ts';
import { until } from '../until.ts';
import { SIDE } from '../words.ts';
import { WORKSPACE, type World } from '../world.ts';

/** A process is taken out of the configuration, and in again: it goes on from where it was. */
export async function takeOut(world: World): Promise<void> {
  const { report, stack, service, everything, dueDates, own, operators } = world;
  const { act } = await operators();
  const deployWith = (withoutSide: boolean) =>
    stack.deploy(
      configOf({
        ...{ service, everything: everything.url, dueDates: dueDates.url },
        ...{ endpoints: own !== undefined, withoutSide },
      }),
    );
  const status = async () => {
    const { processes } = await act.ask({ operation: 'status' });
    return processes.find(({ workspace, process }) => workspace === WORKSPACE && process === SIDE);
  };
  report.part('A process that is taken out, and in again');
  await report.check('it is polled', () =>
    until(150, async () => assert.equal((await status())?.state, 'healthy')),
  );
  await report.check('the configuration is deployed without it', async () => void (await deployWith(true)));
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
  await report.check('it is deployed again', async () => void (await deployWith(false)));
  await report.check('what changed meanwhile is told, and published', () =>
    until(240, async () => {
      const { events } = await act.ask({ operation: 'events', process: SIDE, limit: 100 });
      const lines = events.map(({ event }) => event.type);
      assert.deepEqual(lines, ['project.updated']);
      assert.match(JSON.stringify(events), /while-it-was-out/);
      const { published } = await act.ask({ operation: 'trace', eventId: events[0]?.event.id ?? '' });
      assert.notEqual(published, 'no');
    }),
  );
}
