import { PROCESS, SERVICE } from './world.ts';

/** A stack whose cost is computed. */
export interface Size {
  readonly name: 'idle' | 'busy' | 'large';
  readonly title: string;
  readonly processes: number;
  readonly workspaces: number;
  readonly projects: number;
  readonly endpoints: number;
  /** Changes of all processes together; each is an edit of a task, one event. */
  readonly changesPerDay: number;
  /** Endpoints that want each event. */
  readonly wanted: number;
}

export const TASKS_PER_PROJECT = 10;
export const CHANGES = { text: '1m', seconds: 60 } as const;
export const SWEEP = { text: '6h', seconds: 6 * 3_600 } as const;

export const SIZES: readonly Size[] = [
  {
    name: 'idle',
    title: '5 idle processes',
    ...{ processes: 5, workspaces: 1, projects: 2_000, endpoints: 0, changesPerDay: 0, wanted: 0 },
  },
  {
    name: 'busy',
    title: '50 × 2,000 projects, 5,000 changes a day, 3 endpoints',
    ...{ processes: 50, workspaces: 5, projects: 2_000, endpoints: 3, changesPerDay: 5_000, wanted: 3 },
  },
  {
    name: 'large',
    title: '4,000 × 2,000 projects, 400,000 changes a day, 100 endpoints',
    ...{
      processes: 4_000,
      workspaces: 40,
      projects: 2_000,
      endpoints: 100,
      changesPerDay: 400_000,
      wanted: 3,
    },
  },
];

/** The processes of each workspace: `w1` with `p1`, and so on. They are numbered across workspaces, and
 *  `p1` of `w1` is the one that the service has. */
export function processesOf({ processes, workspaces }: Pick<Size, 'processes' | 'workspaces'>) {
  const each = Math.ceil(processes / workspaces);
  return Array.from({ length: processes }, (_, index) => ({
    workspace: `w${1 + Math.floor(index / each)}`,
    processId: index === 0 ? PROCESS : `p${index + 1}`,
  }));
}

/** The `changewire` context of such a stack. Each event is wanted by `wanted` endpoints. */
export function configOf(size: Size): object {
  const processes = processesOf(size);
  const names = [...new Set(processes.map(({ workspace }) => workspace))];
  return {
    stackName: 'Changewire',
    changes: CHANGES.text,
    sweep: SWEEP.text,
    alarmEmail: 'operations@example.com',
    workspaces: names.map(name => ({
      name,
      baseUrl: SERVICE.api,
      authUrl: SERVICE.auth,
      audience: SERVICE.audience,
      processes: processes.filter(({ workspace }) => workspace === name).map(({ processId: id }) => ({ id })),
    })),
    endpoints: Array.from({ length: size.endpoints }, (_, index) => ({
      name: `hook${index + 1}`,
      kind: 'webhook',
      ...(size.endpoints > size.wanted && { filter: { processes: wantedBy(index, processes, size) } }),
    })),
  };
}

function wantedBy(index: number, processes: readonly { processId: string }[], { endpoints, wanted }: Size) {
  const isWanted = (_: object, at: number) => (index - (at % endpoints) + endpoints) % endpoints < wanted;
  return processes.filter(isWanted).map(({ processId }) => processId);
}
