import { describe, expect, it } from 'vitest';
import { buildEvents } from '../../functions/changes/build-events.ts';
import type { Page, Service, ServiceConnection, ServiceRecord } from '../../functions/service/service.ts';
import { bytesOf, messageOf } from '../../functions/topic/entry.ts';
import { isTasksOf, openStage } from '../kit/stage.ts';
import { servedState, snapshotState } from '../kit/told.ts';
import { PROCESS, type World, type WorldOptions } from '../kit/world.ts';

const stage = openStage();
let world: World;

/** A world well behind its baseline. */
async function baselined(options: WorldOptions = {}): Promise<World> {
  world = await stage.create(options);
  await world.run();
  await world.later('changes', 600_000);
  return world;
}
const { told } = stage;
const isListing = ({ path }: { path: string }) => path.includes('/projects?');
const _isWhole = ({ path }: { path: string }) => isListing({ path }) && !path.includes('updatedAfter');

/** Rewrites the pages of a service's project listings. */
function rewriting(rewrite: (page: Page<ServiceRecord>) => Page<ServiceRecord>) {
  return (target: Parameters<World['connect']>[0]): ServiceConnection => {
    const connection = world.connect(target);
    return {
      ...connection,
      open(pass) {
        const service = connection.open(pass);
        return {
          ...service,
          projects: (...given: Parameters<Service['projects']>) =>
            (async function* () {
              for await (const page of service.projects(...given)) yield rewrite(page);
            })(),
        };
      },
    };
  };
}

describe('one answer with a Date a day ahead', () => {
  it('does not blind the changes passes', async () => {
    await baselined({ freedoms: { auditDenied: 403 } });
    let bad = true;
    const connect = rewriting(page => (bad ? { ...page, readAt: page.readAt + 86_400_000 } : page));
    const poll = world.poller({ connect });
    world.pass(60_000);
    await world.run('changes', { poll });
    bad = false;
    world.pass(60_000);
    await world.run('changes', { poll });
    world.edit.updateProject(PROCESS, '1001', { budget: '2' });
    world.pass(60_000);
    await world.run('changes', { poll });
    world.pass(60_000);
    await world.run('changes', { poll });
    expect(await told()).toEqual(['project.updated 1001 budget: "" → "2"']);
  });
  it('does not blind sweeps for a project that was committed then', async () => {
    await baselined();
    let bad = true;
    const connect = rewriting(page => (bad ? { ...page, readAt: page.readAt + 86_400_000 } : page));
    const poll = world.poller({ connect });
    world.edit.updateProject(PROCESS, '1001', { budget: '1' });
    world.pass(60_000);
    await world.run('changes', { poll });
    bad = false;
    world.pass(60_000);
    world.edit.updateProject(PROCESS, '1001', { budget: '2' });
    world.pass(60_000);
    await world.run('changes', { poll });
    world.pass(60_000);
    await world.run('sweep', { poll });
    expect((await told()).at(-1)).toMatch(/→ "2"$/);
  });
});

describe('a sweep under way', () => {
  it('does not leave behind what was undone before a changes pass looked', async () => {
    await baselined({ projects: 3, settings: { concurrency: 1 } });
    world.edit.updateProject(PROCESS, '1001', { budget: '1' });
    await world.later();
    await world.later('changes', 600_000);
    world.edit.updateProject(PROCESS, '1003', { budget: '1' });
    world.pass(10_000);
    let once = true;
    const before = async () => {
      if (!once) return;
      once = false;
      world.pass(10_000);
      world.edit.updateProject(PROCESS, '1003', { budget: '' });
      world.pass(20_000);
      await world.run('changes', { poll: world.poller() });
      world.pass(10_000);
    };
    world.service.fail({ when: isTasksOf('1001'), fault: { before } });
    await world.run('sweep');
    for (let pass = 0; pass < 6; pass++) await world.later();
    const kept = await snapshotState(world.snapshots, world.process);
    expect(kept).toEqual(servedState(world.edit, PROCESS));
  });
});

describe('observed', () => {
  it('does not rest on a sweep that could not read the project', async () => {
    await baselined({ freedoms: { taskEditsTouchProject: false, auditDenied: 403 } });
    world.pass(60_000);
    const at = world.clock.now;
    world.edit.updateTask(PROCESS, '1001', '500001', { status: 'Done' });
    world.service.fail({ when: isTasksOf('1001'), fault: { status: 404 } });
    await world.later('sweep');
    await world.later('sweep');
    const [event] = await world.events();
    const observed = event && 'observed' in event.data ? event.data.observed : undefined;
    expect(Date.parse(observed?.after ?? '')).toBeLessThanOrEqual(at);
  });
});

describe('the message of an event', () => {
  it('fits SNS whatever is in it', () => {
    const origin = {
      workspace: 'w',
      processId: 'p',
      projectId: '1',
      projectRecord: {},
      version: 1_800_000_000_000,
    };
    const observed = { after: 1_800_000_000_000, before: 1_800_000_000_000 };
    const [event] = buildEvents({ ...origin, observed: { project: observed, task: observed } }, [
      {
        entity: 'project',
        action: 'updated',
        id: '1',
        record: { note: '\uFFFF'.repeat(75_000) },
        fields: [],
      },
    ]);
    if (event) expect(bytesOf(messageOf(event))).toBeLessThanOrEqual(256 * 1024);
  });
});
