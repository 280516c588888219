import { describe, expect, it, onTestFinished } from 'vitest';
import type { ChangeEvent } from '../../functions/model/event.ts';
import { buildWorkspace, startSimulatedService } from '../../simulator/server.ts';
import { Chronicle, Watched } from './chronicle.ts';
import { PROCESSES, planOf } from './plan.ts';
import { Contents, Received } from './receivers.ts';
import { verdict } from './verdict.ts';

const ID = 'alpha';
let version = 1_795_000_000_000;

/** An event as the poller builds it, as far as a receiver looks at it. */
function event(type: string, data: object, subject = 'projects/1001'): ChangeEvent {
  version += 1;
  const [process, observed] = [
    { id: ID },
    { after: '2026-11-21T12:00:00.000Z', before: '2026-11-21T12:00:01.000Z' },
  ];
  return {
    specversion: '1.0',
    id: `${ID}.1001.${version}.0`,
    source: `/workspaces/w/processes/${ID}`,
    type,
    subject,
    time: '2026-11-21T12:00:01.000Z',
    datacontenttype: 'application/json',
    sequence: String(version),
    data: { process, observed, changes: [], ...data },
  } as object as ChangeEvent;
}

const named = (from: string, to: string, id = '1001') =>
  event('project.updated', {
    project: { id },
    changes: [{ field: 'name', name: 'name', kind: 'builtin', type: 'string', from, to }],
  });

async function service() {
  const started = await startSimulatedService({
    workspace: buildWorkspace({ processes: [{ id: ID, projects: 2, tasksPerProject: 1 }] }),
  });
  onTestFinished(started.stop);
  return started;
}

/** A process whose baseline is made, and which was renamed since: what it takes to judge what was told of it. */
async function renamed() {
  const simulated = await service();
  const process = new Watched(simulated, ID, false);
  process.asked({ method: 'GET', path: `/processes/${ID}/projects?updatedAfter=x`, status: 0 });
  simulated.workspace.updateProject(ID, '1001', { name: 'New' });
  process.chronicle.note();
  const contents = new Contents();
  const received = new Received('the endpoint', contents);
  const judged = (...committed: ChangeEvent[]) =>
    verdict({ watched: [process], contents: [contents], receivers: [received], committed });
  return { received, judged };
}

describe('the verdict', () => {
  it('invariant 1: finds an event that was committed and never received, and the state that lacks it', async () => {
    const { judged } = await renamed();
    expect(judged(named('Project 1', 'New'))).toEqual([
      expect.stringMatching(
        /^the endpoint never got alpha\.1001\.\d+\.0 \(project\.updated projects\/1001\)/,
      ),
      expect.stringContaining('the endpoint is told another state of alpha'),
    ]);
  });

  it('invariant 2: finds what never was', async () => {
    const { received, judged } = await renamed();
    const told = [named('Project 1', 'Never'), named('Never', 'New')];
    for (const each of told) received.add(JSON.stringify(each));
    expect(judged(...told)).toEqual([expect.stringContaining('project 1001 never had "Never" as its name')]);
  });

  it('invariant 3: finds an event with two contents, and one that was never committed', async () => {
    const { received, judged } = await renamed();
    const told = named('Project 1', 'New');
    received.add(JSON.stringify(told));
    received.add(JSON.stringify({ ...told, time: '2026-11-21T12:00:02.000Z' }));
    expect(received.repeated).toBe(1);
    expect(judged(told)).toEqual([expect.stringContaining('has two contents')]);
    expect(judged()).toContainEqual(expect.stringContaining('which was never committed'));
  });

  it('finds nothing when the endpoint was told all of it, and takes no event for told that was refused', async () => {
    const { received, judged } = await renamed();
    const told = named('Project 1', 'New');
    received.add(JSON.stringify(told), false);
    expect(judged(told)).toHaveLength(2);
    received.add(JSON.stringify(told));
    expect(judged(told)).toEqual([]);
  });
});

it('invariant 9: the chronicle knows what was ever gone', async () => {
  const { workspace } = await service();
  const chronicle = new Chronicle(workspace, ID);
  const deleted = event('project.deleted', { project: { id: '1001' } });
  expect(chronicle.lies(deleted)).toEqual([
    expect.stringContaining('project 1001 is gone, and it never was'),
  ]);
  workspace.deleteProject(ID, '1001');
  chronicle.note();
  expect(chronicle.lies(deleted)).toEqual([]);
  expect(chronicle.lies(named('', 'x', '9'))).toEqual([expect.stringContaining('which never was')]);
});

it('a plan is the same for the same seed, and watches ever more processes', () => {
  expect(planOf(7, 100)).toEqual(planOf(7, 100));
  expect(planOf(7, 100)).not.toEqual(planOf(8, 100));
  for (const kills of [1, 20, 100]) {
    const plan = planOf(kills, kills);
    if (kills > 1) expect(new Set(plan.map(({ victim }) => victim)).size).toBe(2);
    expect(planOf(kills, kills, ['process']).every(({ victim }) => victim === 'process')).toBe(true);
    expect(new Set(plan.map(({ processes }) => processes)).size).toBe(Math.min(kills, PROCESSES.length));
  }
});
