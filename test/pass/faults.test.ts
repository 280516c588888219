import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ProcessKey } from '../../functions/basics/process.ts';
import type { PollDependencies } from '../../functions/handlers/create-poll.ts';
import { dyingAt } from '../kit/dying.ts';
import { owedIn } from '../kit/owed.ts';
import { openTable, type TestTable } from '../kit/table.ts';
import { applyEvents, servedState, snapshotState } from '../kit/told.ts';
import { createWorld, PROCESS, type World, type WorldOptions } from '../kit/world.ts';

let table: TestTable;
beforeAll(async () => {
  table = await openTable();
});
afterAll(() => table?.stop());

async function inWorld(options: WorldOptions, test: (world: World) => Promise<void>): Promise<void> {
  const world = await createWorld(table, options);
  try {
    await test(world);
  } finally {
    await world.stop();
  }
}

const EDITS: ((world: World) => void)[] = [
  world => world.edit.updateProject(PROCESS, '1001', { phase: 'Build' }),
  world => world.edit.updateTask(PROCESS, '1002', '500003', { status: 'Done' }),
  world => world.edit.deleteTask(PROCESS, '1003', '500005'),
  world => world.edit.deleteProject(PROCESS, '1004'),
  world =>
    void world.edit.createTask(PROCESS, world.edit.createProject(PROCESS, { name: 'New' }), {
      name: 'First',
    }),
];
const editAll = (world: World) => {
  for (const edit of EDITS) edit(world);
};

/** What was told, applied to the baseline, is what the table holds and what the service shows. */
async function expectConverged(world: World, baseline: unknown): Promise<void> {
  const events = await world.events();
  expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
  const kept = await snapshotState(world.snapshots, world.process);
  expect(applyEvents(baseline, events)).toEqual(kept);
  expect(kept).toEqual(servedState(world.edit, PROCESS));
}

const mode = fc.constantFrom('changes' as const, 'sweep' as const);
const when = fc.constantFrom('before' as const, 'after' as const);

describe('a poller that dies', () => {
  it('invariants 1, 2, 3, 4: at any call of the table, in any pass, loses nothing and tells nothing twice', async () => {
    await fc.assert(
      fc.asyncProperty(mode, when, fc.integer({ min: 1, max: 28 }), (mode, when, call) =>
        inWorld({ projects: 4 }, async world => {
          await world.run();
          const baseline = await snapshotState(world.snapshots, world.process);
          world.clock.now += 600_000;
          editAll(world);
          const { snapshots } = dyingAt(world.snapshots, call, when);
          await world.run(mode, { poll: world.poller({ snapshots }) }).catch(() => undefined);
          await world.later('changes', 61_000);
          await world.later('sweep', 61_000);
          await world.later('sweep', 61_000);
          await expectConverged(world, baseline);
        }),
      ),
      { numRuns: 30 },
    );
  });

  it('invariant 1: at any call of a baseline loses no change that comes after it', async () => {
    await fc.assert(
      fc.asyncProperty(when, fc.integer({ min: 1, max: 14 }), (when, call) =>
        inWorld({ projects: 4 }, async world => {
          const { snapshots, died } = dyingAt(world.snapshots, call, when);
          await world.run('changes', { poll: world.poller({ snapshots }) }).catch(() => undefined);
          const baseline = await snapshotState(world.snapshots, world.process);
          const first = died() ? Object.keys(baseline as object) : ['1001', '1002', '1003', '1004'];
          world.clock.now += 61_000;
          for (const id of first) world.edit.updateProject(PROCESS, id, { budget: '1' });
          await world.later('changes', 1_000);
          await world.later();
          await world.later();
          const told = (await world.events()).map(({ subject }) => subject);
          expect(told.sort()).toEqual(first.map(id => `projects/${id}`).sort());
        }),
      ),
      { numRuns: 12 },
    );
  });
});

describe('two pollers on one process', () => {
  it('invariant 8: of both modes, at once, do no harm', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(mode, { minLength: 2, maxLength: 4 }), modes =>
        inWorld({ projects: 4 }, async world => {
          await world.run();
          const baseline = await snapshotState(world.snapshots, world.process);
          world.clock.now += 600_000;
          editAll(world);
          await Promise.all(modes.map(mode => world.run(mode, { poll: world.poller() })));
          await world.later();
          await world.later('sweep');
          await expectConverged(world, baseline);
        }),
      ),
      { numRuns: 10 },
    );
  });

  it('invariant 8: that ignore each other’s leases altogether do no harm either', async () => {
    await inWorld({ projects: 4 }, async world => {
      await world.run();
      const baseline = await snapshotState(world.snapshots, world.process);
      world.clock.now += 600_000;
      editAll(world);
      const lawless: Partial<PollDependencies> = {
        snapshots: {
          ...world.snapshots,
          takeLease: async (_process: ProcessKey, { mode, owner }) => ({
            mode,
            owner,
            window: undefined,
            progress: undefined,
          }),
          saveProgress: async () => true,
          finish: async () => true,
        },
      };
      const run = () => world.run('changes', { poll: world.poller(lawless) });
      await Promise.all([run(), run(), run()]);
      await world.later();
      await expectConverged(world, baseline);
    });
  });

  it('stops the one whose lease was taken over, before it moves the watermark', async () => {
    await inWorld({ projects: 4 }, async world => {
      await world.run();
      const before = (await world.snapshots.readState(world.process)).watermark;
      world.clock.now += 600_000;
      editAll(world);
      const takeOver = async () => {
        const now = world.clock.now + 61_000;
        await world.snapshots.takeLease(world.process, {
          mode: 'changes',
          owner: 'other',
          now,
          until: now + 60_000,
        });
        world.clock.now += 11_000;
      };
      world.service.fail({ when: ({ path }) => path.includes('/auditlog'), fault: { before: takeOver } });
      expect(await world.run()).toMatchObject({ outcome: 'busy' });
      expect((await world.snapshots.readState(world.process)).watermark).toBe(before);
    });
  });
});

describe('a service that fails', () => {
  it('invariant 1: in one project of a pass loses nothing of it, nor of the others', async () => {
    await inWorld({ projects: 4 }, async world => {
      await world.run();
      const baseline = await snapshotState(world.snapshots, world.process);
      world.clock.now += 600_000;
      editAll(world);
      world.service.fail({
        when: ({ path }) => path.includes('/1002/tasks'),
        times: 30,
        fault: { status: 500 },
      });
      expect(await world.run()).toMatchObject({ outcome: 'completed' });
      expect(await owedIn(world)).toMatchObject([{ id: '1002' }]);
      for (let attempt = 0; attempt < 8; attempt++)
        await world.later('changes', 600_000).catch(() => undefined);
      await expectConverged(world, baseline);
    });
  });

  it('invariant 2: between two pages, two requests or two passes makes nothing up', async () => {
    const fault = fc.constantFrom(
      'destroy' as const,
      'truncate' as const,
      { status: 500 },
      { status: 429 },
      { status: 503 },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.nat(9), fault), { maxLength: 6 }), faults =>
        inWorld({ projects: 4, pageSize: { projects: 2, tasks: 1, auditLog: 2 } }, async world => {
          await world.run();
          const baseline = await snapshotState(world.snapshots, world.process);
          world.clock.now += 600_000;
          editAll(world);
          for (const [skip, fault] of faults) {
            let seen = 0;
            world.service.fail({ when: () => seen++ === skip, fault });
          }
          for (let pass = 0; pass < 4; pass++) await world.later().catch(() => undefined);
          await world.later('sweep');
          await world.later('sweep');
          await expectConverged(world, baseline);
        }),
      ),
      { numRuns: 15 },
    );
  });
});
