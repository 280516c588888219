import type { AnswerOf } from '../protocol/answers.ts';
import type { RequestOf } from '../protocol/requests.ts';
import { projectIn } from './facts.ts';
import type { AskSlice } from './walk.ts';

type Found = NonNullable<AnswerOf<'verify'>['service']>;

/** What the service has, compared with the snapshots. */
export interface ServiceCompared extends Found {
  /** Projects that differed otherwise in each reading. */
  readonly unsettled: number;
}

interface Options {
  /** Called after each slice, with the number of projects compared so far. */
  readonly report?: (projects: number) => void;
  /** Waits until passes have read what changed in the meantime. */
  readonly wait: () => Promise<unknown>;
}

/** Readings of a project that differs, in all. */
const MAX_READINGS = 3;
/** Projects in one request. */
const MAX_PROJECTS = 100;

/** Reads a process from the service, and compares it with the snapshots. What changed since the last pass
 *  differs, too: a project that differs is read again later, and counts if it has the same difference twice. */
export async function verifyService(
  ask: AskSlice,
  { process, workspace }: { readonly process: string; readonly workspace?: string | undefined },
  { report = () => undefined, wait }: Options,
): Promise<ServiceCompared> {
  const head = {
    ...({ operation: 'verify', process, part: 'service' } as const),
    ...(workspace !== undefined && { workspace }),
  };
  let { projects, unreadable, differences } = await readAll(ask, head, report);
  const confirmed: Found['differences'] = [];
  for (let reading = 2; reading <= MAX_READINGS && differences.length > 0; reading += 1) {
    await wait();
    const before = new Set(differences.map(textOf));
    const again: Found['differences'] = [];
    for (const part of inParts([...new Set(differences.map(projectOf))])) {
      const read = await readAll(ask, { ...head, projects: part }, () => report(projects));
      unreadable = unreadable.filter(({ project }) => !part.includes(project)).concat(read.unreadable);
      again.push(...read.differences);
    }
    const isLast = reading === MAX_READINGS;
    if (isLast) confirmed.push(...again.filter(each => before.has(textOf(each))));
    differences = isLast ? again.filter(each => !before.has(textOf(each))) : again;
  }
  const unsettled = new Set(differences.map(projectOf)).size;
  return { projects, unreadable, differences: confirmed, unsettled };
}

async function readAll(
  ask: AskSlice,
  head: RequestOf<'verify'>,
  report: (projects: number) => void,
): Promise<Found> {
  const all: Found = { projects: 0, unreadable: [], differences: [] };
  for (let cursor: string | undefined; ; ) {
    const { service, cursor: next } = await ask({ ...head, ...(cursor !== undefined && { cursor }) });
    all.projects += service?.projects ?? 0;
    all.unreadable.push(...(service?.unreadable ?? []));
    all.differences.push(...(service?.differences ?? []));
    report(all.projects);
    if (next === undefined) return all;
    cursor = next;
  }
}

const textOf = (difference: Found['differences'][number]): string => JSON.stringify(difference);

const projectOf = ({ record }: Found['differences'][number]): string => projectIn(record);

function inParts(projects: readonly string[]): string[][] {
  const count = Math.ceil(projects.length / MAX_PROJECTS);
  return Array.from({ length: count }, (_, part) =>
    projects.slice(part * MAX_PROJECTS, (part + 1) * MAX_PROJECTS),
  );
}
