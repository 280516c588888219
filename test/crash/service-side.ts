import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../functions/basics/clock.ts';
import { between, pick, seededRandom } from '../../simulator/data/random.ts';
import {
  buildWorkspace,
  type Freedoms,
  type SeenRequest,
  type SimulatedService,
  startSimulatedService,
} from '../../simulator/server.ts';
import { Watched } from './chronicle.ts';
import { editOnce, unarchiveAll } from './edits.ts';
import { PROCESSES } from './plan.ts';

/** What the service draws from. Whatever it takes, subscribers are told the same in the end. */
const FREEDOMS: { readonly [Name in keyof Freedoms]?: readonly Freedoms[Name][] } = {
  auditOrder: ['oldest-first', 'newest-first'],
  auditDenied: [false, false, false, 403],
  numericIds: [false, true],
  taskEditsTouchProject: [true, false],
  updatedAfterInclusive: [true, false],
  tasksOfDeletedProject: [404, 404, 200],
  timestampResolution: [1, 1000],
};
/** The longest that it takes to answer, and its pauses between two edits, in ms. */
const SLOWEST_ANSWER = 12;
const EDIT_EVERY = [15, 60] as const;

/** The simulated service, and everybody who edits it. */
export interface ServiceSide {
  readonly service: SimulatedService;
  /** Which freedoms it took. */
  readonly freedoms: Partial<Freedoms>;
  readonly watched: readonly Watched[];
  /** How many edits of each kind. */
  readonly edits: Readonly<Record<string, number>>;
  /** The edits end, and every field is there again. */
  calm(): void;
  stop(): Promise<void>;
}

/** Starts it. `asked` hears of each request before it is answered. */
export async function startServiceSide(seed: number, asked: () => void): Promise<ServiceSide> {
  const random = seededRandom(seed);
  const freedoms = drawn(random);
  const service = await startSimulatedService({
    workspace: buildWorkspace({
      now: Date.now() - 3_600_000,
      processes: PROCESSES.map(id => ({ id, projects: 6, tasksPerProject: 3 })),
    }),
    freedoms,
  });
  const watched = PROCESSES.map((id, index) => new Watched(service, id, index === PROCESSES.length - 1));
  const before = async (request: SeenRequest): Promise<void> => {
    asked();
    for (const process of watched) process.asked(request);
    await sleep(random() * SLOWEST_ANSWER);
  };
  service.fail({ times: Number.POSITIVE_INFINITY, fault: { before } });
  const edits: Record<string, number> = {};
  const editing = editAll(service, watched, random, edits);
  return {
    service,
    freedoms,
    watched,
    edits,
    calm() {
      editing.stop();
      for (const { id, chronicle } of watched) {
        unarchiveAll(service.workspace, id);
        chronicle.note();
      }
    },
    async stop() {
      editing.stop();
      await service.stop();
    },
  };
}

function drawn(random: Random): Partial<Freedoms> {
  return Object.fromEntries(
    Object.entries(FREEDOMS).map(([name, values]) => [name, pick<unknown>(random, values)]),
  );
}

/** One edit after the other, of any process that may change, whether a runner lives or not. */
function editAll(
  service: SimulatedService,
  watched: readonly Watched[],
  random: Random,
  edits: Record<string, number>,
): { stop(): void } {
  const step = (): void => {
    timer = setTimeout(step, between(random, ...EDIT_EVERY));
    const changing = watched.filter(({ changes }) => changes);
    if (changing.length === 0) return;
    const { id, chronicle } = pick(random, changing);
    const kind = editOnce(service.workspace, id, random);
    chronicle.note();
    edits[kind] = (edits[kind] ?? 0) + 1;
  };
  let timer = setTimeout(step, 0);
  return { stop: () => clearTimeout(timer) };
}
