import { ChildDiedError } from './children.ts';
import type { Size } from './content.ts';
import type { HeapSeen } from './heap-watch.ts';
import { type Findings, type Print, rounded } from './line.ts';
import { Measurement } from './measurement.ts';

export interface HeapScale {
  readonly projects: number;
  readonly tasks: readonly [few: number, many: number];
}

/** MB of memory that a function may have; most of it is the heap. */
const MAX_MB = 256;
const MB = 2 ** 20;

interface Seen extends HeapSeen {
  /** Whether the sweep was completed within the memory that it may have. */
  readonly fits: boolean;
}

/** How much memory a sweep takes, for the same number of projects with few tasks and with many. */
export async function measureHeap({ projects, tasks }: HeapScale, print: Print): Promise<Findings> {
  const [few, many] = tasks;
  const small = await heapOf({ projects, tasksPerProject: few }, print);
  const large = await heapOf({ projects, tasksPerProject: many }, print);
  const ratio = large.live / small.live;
  const megabytes = (seen: number) => rounded(seen / MB);
  const died = large.fits ? '' : `, too large for ${MAX_MB} MB`;
  return {
    lines: [
      {
        what: `live heap of a sweep, ${rounded(projects)} × ${many} tasks ÷ × ${few}; with garbage`,
        goal: `ratio ≤ 1.2; < ${MAX_MB} MB`,
        measured:
          `${rounded(ratio)} (${megabytes(large.live)} MB, ${megabytes(small.live)} MB); ` +
          `${megabytes(large.used)} MB${died}`,
        isMet: ratio <= 1.2 && large.fits && large.used < MAX_MB * MB,
      },
    ],
  };
}

async function heapOf(size: Size, print: Print): Promise<Seen> {
  await using measurement = new Measurement();
  const { origin } = await measurement.service(size);
  const store = measurement.sqlite();
  print(`baseline of ${size.projects} projects × ${size.tasksPerProject} tasks`);
  const first = await measurement.poller({ origin, store });
  await first.pass({ mode: 'changes' });
  await first.stop();
  const sweep = async (...nodeOptions: string[]) => {
    print(`sweep of ${size.projects} projects × ${size.tasksPerProject} tasks ${nodeOptions}`);
    const poller = await measurement.poller({ origin, store }, nodeOptions);
    const { heap } = await poller.pass({ mode: 'sweep', watchesHeap: true });
    return heap as HeapSeen;
  };
  try {
    return { ...(await sweep(`--max-old-space-size=${MAX_MB}`)), fits: true };
  } catch (error) {
    if (!(error instanceof ChildDiedError)) throw error;
    return { ...(await sweep()), fits: false };
  }
}
