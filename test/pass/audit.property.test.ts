import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { dyingAt } from '../kit/dying.ts';
import { openTable, type TestTable } from '../kit/table.ts';
import { createWorld, PROCESS, type World } from '../kit/world.ts';

let table: TestTable;
beforeAll(async () => {
  table = await openTable();
});
afterAll(() => table?.stop());

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('edit' as const), count: fc.nat({ max: 9 }) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('pass' as const) }) },
  fc.record({ kind: fc.constant('purge' as const), keep: fc.integer({ min: 1, max: 12 }) }),
  fc.record({ kind: fc.constant('turn' as const) }),
  fc.record({ kind: fc.constant('deny' as const) }),
  fc.record({
    kind: fc.constant('kill' as const),
    call: fc.integer({ min: 1, max: 12 }),
    when: fc.constantFrom('before' as const, 'after' as const),
  }),
);
const log = fc.record({
  auditOrder: fc.constantFrom('oldest-first' as const, 'newest-first' as const),
  cursors: fc.constantFrom('item' as const, 'offset' as const),
});

/** Drops all but the newest entries; what is edited shows in no list. */
function purge({ service, edit }: World, keep: number): void {
  service.freedoms.auditRetention = keep;
  edit.touchProject(PROCESS, '1003', { audit: false, touch: false });
  service.freedoms.auditRetention = Number.POSITIVE_INFINITY;
}

const idsInLog = ({ edit }: World) => edit.auditLog(PROCESS).map(({ id }) => id as string);

async function open(freedoms: object, history: number): Promise<World> {
  const world = await createWorld(table, {
    freedoms,
    pageSize: { auditLog: 5 },
    settings: { processes: [{ id: PROCESS, audit: true }] as never },
  });
  for (let entry = 0; entry < history; entry++) {
    world.clock.now += 1_000;
    world.edit.updateTask(PROCESS, '1003', '500005', { status: `before ${entry}` });
  }
  world.clock.now += 3_600_000;
  await world.run();
  return world;
}

/** A log whose cursors count its entries tells gaps, when it is turned around and purged before it is read again (decision 0114): of
 *  these two only the first is done then. */
function canBeTold(
  { freedoms }: World['service'],
  steps: readonly { readonly kind: string }[],
  at: number,
): boolean {
  const kind = steps[at]?.kind;
  const other = kind === 'turn' ? 'purge' : kind === 'purge' ? 'turn' : undefined;
  if (other === undefined || freedoms.cursors !== 'offset') return true;
  const before = steps.slice(0, at);
  // A pass that is denied the log has not read it.
  const read = before.some(step => step.kind === 'deny')
    ? -1
    : before.findLastIndex(step => step.kind === 'pass');
  return !before.slice(read + 1).some(step => step.kind === other);
}

/** Takes a step. @returns the entries that it must have told */
async function take(world: World, next: typeof step extends fc.Arbitrary<infer Value> ? Value : never) {
  const { freedoms } = world.service;
  switch (next.kind) {
    case 'edit':
      for (let n = 0; n < next.count; n++) {
        world.clock.now += 1_000;
        world.edit.updateTask(PROCESS, '1001', '500001', { status: `${world.clock.now}` });
      }
      return [];
    case 'purge':
      purge(world, next.keep);
      return [];
    case 'turn':
      freedoms.auditOrder = freedoms.auditOrder === 'oldest-first' ? 'newest-first' : 'oldest-first';
      return [];
    case 'deny':
      freedoms.auditDenied = freedoms.auditDenied === false ? 403 : false;
      return [];
    case 'kill': {
      const { snapshots } = dyingAt(world.snapshots, next.call, next.when);
      await world.run('changes', { poll: world.poller({ snapshots }) }).catch(() => undefined);
      // The lease of the dead expires.
      world.clock.now += 120_000;
      return [];
    }
    case 'pass': {
      const { outcome } = await world.later();
      return outcome === 'completed' && freedoms.auditDenied === false ? idsInLog(world) : [];
    }
  }
}

it('invariants 1 and 3: each new entry that a completed pass could read is told once, and no old one, whatever becomes of the log', async () => {
  await fc.assert(
    fc.asyncProperty(
      log,
      fc.nat({ max: 17 }),
      fc.array(step, { maxLength: 14, size: 'max' }),
      async (freedoms, history, steps) => {
        const world = await open(freedoms, history);
        const old = new Set(idsInLog(world));
        try {
          const due = new Set<string>();
          for (const [at, next] of [...steps, { kind: 'pass' as const }].entries()) {
            if (!canBeTold(world.service, steps, at)) continue;
            for (const id of await take(world, next)) if (!old.has(id)) due.add(id);
          }
          const told = (await world.events()).flatMap(({ type, data }) =>
            type === 'audit.recorded' && 'entry' in data ? [(data.entry as { id: string }).id] : [],
          );
          expect(told.toSorted()).toEqual([...new Set(told)].toSorted());
          expect([...due].filter(id => !told.includes(id))).toEqual([]);
          expect(told.filter(id => old.has(id))).toEqual([]);
        } finally {
          await world.stop();
        }
      },
    ),
    { numRuns: Number(process.env.RUNS ?? 60) },
  );
}, 120_000);
