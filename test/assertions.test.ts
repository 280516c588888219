import { describe, expect, it } from 'vitest';
import type { AssertionError } from '../functions/basics/assert.ts';
import { COMMIT, WRONG_CONTENTS } from './kit/assertions/commit.ts';
import { DELIVERY, sendingWrong } from './kit/assertions/delivery.ts';
import { HANDLERS } from './kit/assertions/handlers.ts';
import { PASS } from './kit/assertions/pass.ts';
import { shownBy } from './kit/assertions/trip.ts';
import { openStage } from './kit/stage.ts';
import { PROCESS } from './kit/world.ts';

const ALL: Readonly<Record<AssertionError['assertion'], () => unknown>> = {
  ...COMMIT,
  ...PASS,
  ...DELIVERY,
  ...HANDLERS,
};

describe('an assertion', () => {
  it.each(Object.entries(ALL))('%s fails where the code has a defect', async (name, trip) => {
    expect(await shownBy(trip)).toContain(`assertion.failed: ${name}:`);
  });

  it.each(WRONG_CONTENTS)('stops a commit where %s', async (_, commit) => {
    expect(await shownBy(commit)).toContain('assertion.failed: commit.changes-give-content:');
  });

  it('invariant 10: names what must hold, and no value', async () => {
    expect(await shownBy(COMMIT['commit.from-is-known'])).toBe(
      'assertion.failed: commit.from-is-known: `from` is the value of the last snapshot',
    );
  });
});

describe('a failed assertion', () => {
  const stage = openStage();

  it('invariant 1: of a commit stops one project, which is emitted once the defect is repaired', async () => {
    const world = await stage.create();
    await world.run();
    for (const id of ['1001', '1002']) world.edit.updateProject(PROCESS, id, { budget: '1' });
    world.pass(60_000);
    const load: typeof world.snapshots.load = async (process, id) => {
      const snapshot = await world.snapshots.load(process, id);
      return snapshot && id === '1001' ? { ...snapshot, version: 2 ** 53 } : snapshot;
    };
    const poll = world.poller({ snapshots: { ...world.snapshots, load } });
    expect(await world.run('changes', { poll })).toMatchObject({ outcome: 'completed', events: 1 });
    expect(world.said.find(({ level }) => level === 'error')?.details).toEqual({
      ...{ code: 'assertion.failed', assertion: 'commit.version-grows', ...world.process, projectId: '1001' },
      error: 'assertion.failed: commit.version-grows: the version is larger than the last one',
    });
    const { rechecks } = await world.snapshots.readState(world.process);
    expect([...rechecks].map(([id, { cause }]) => [id, cause])).toEqual([['1001', 'unreadable']]);
    expect(await world.later()).toMatchObject({ events: 1, skippedNoLonger: ['1001'] });
    expect(await stage.told()).toEqual([
      'project.updated 1002 budget: "" → "1"',
      'project.updated 1001 budget: "" → "1"',
    ]);
  });

  it('of a batch of the router leaves its messages in the queue', async () => {
    const { said, again, hidden } = await sendingWrong();
    expect(said).toMatchObject([
      { level: 'error', details: { code: 'assertion.failed', assertion: 'queue.unsent-are-given' } },
    ]);
    expect([again, hidden]).toEqual([['m0'], [['m0', 5]]]);
  });
});
