import type { AnswerOf } from '../protocol/answers.ts';
import type { RequestOf } from '../protocol/requests.ts';
import { Checker, type Mismatch } from './checker.ts';
import { projectIn, subjectOf } from './facts.ts';

/** Sends a request for a slice. */
export type AskSlice = (request: RequestOf<'verify'>) => Promise<AnswerOf<'verify'>>;

/** What was compared of a process, and what differs. */
export interface Verified {
  readonly workspace: string;
  readonly process: string;
  /** False before the first baseline is complete: then nothing is compared. */
  readonly isBaselined: boolean;
  /** The events of projects and tasks. */
  readonly events: number;
  /** The records that they changed, the fields of these, and the projects. */
  readonly records: number;
  readonly fields: number;
  readonly projects: number;
  /** Projects that changed in each reading, so that they could not be compared with their snapshots. */
  readonly unsettled: number;
  readonly mismatches: readonly Mismatch[];
}

export interface Progress {
  readonly events: number;
  readonly readTo?: string | undefined;
  /** The projects that were compared with their snapshots, and all. */
  readonly projects: number;
  readonly of: number;
}

interface Asked {
  readonly process: string;
  readonly workspace?: string | undefined;
}

/** Snapshots in one request. */
const MAX_PROJECTS = 100;
/** How often a project that differs is read, in all. */
const MAX_READINGS = 5;
/** A commit is dated some seconds before it can be read. */
const OVERLAP_MS = 5 * 60_000;

/** Walks the journal of a process: each `from` must be the last `to` of its field, and the last `to` what the
 *  snapshot has. Passes may commit at the same time. So a project that differs is read again, after the newest
 *  events, until its snapshot is the same twice.
 *  @param report called after each slice */
export async function verifyProcess(
  ask: AskSlice,
  asked: Asked,
  report: (progress: Progress) => void = () => undefined,
): Promise<Verified> {
  const { process, workspace } = asked;
  const head = { operation: 'verify', process, ...(workspace !== undefined && { workspace }) } as const;
  const checker = new Checker();
  const { first, events } = await readJournal(ask, head, checker, (events, readTo) =>
    report({ events, readTo, projects: 0, of: 0 }),
  );
  const all = checker.projects();
  const mismatches: Mismatch[] = [];
  const versions = new Map<string, number | undefined>();
  let left = all;
  let readAt = Date.parse(first.at);
  for (let reading = 1; reading <= MAX_READINGS; reading += 1) {
    if (reading > 1) {
      const since = new Date(readAt - OVERLAP_MS).toISOString();
      readAt = Date.parse((await readJournal(ask, { ...head, since }, checker)).first.at);
    }
    const differing: string[] = [];
    let compared = 0;
    for await (const snapshot of readSnapshots(ask, head, left)) {
      const { subject, version } = snapshot;
      const found = checker.compare(subject, snapshot);
      const isSettled = versions.has(subject) && versions.get(subject) === version;
      versions.set(subject, version);
      if (found.length > 0 && isSettled) mismatches.push(...found);
      else if (found.length > 0) differing.push(subject);
      compared += 1;
      report({ events, projects: all.length - left.length + compared, of: all.length });
    }
    left = differing;
    // Gaps are judged once the newest events were read a second time.
    if (left.length === 0 && (reading > 1 || checker.gaps().length === 0)) break;
  }
  return {
    ...{ workspace: first.workspace, process: first.process, isBaselined: first.isBaselined },
    ...{ events, ...checker.counts(), projects: all.length, unsettled: left.length },
    mismatches: [...checker.gaps(), ...mismatches],
  };
}

type Head = Omit<RequestOf<'verify'>, 'part'>;

/** Reads all slices into the checker. @returns the first slice, and the number of events */
async function readJournal(
  ask: AskSlice,
  head: Head,
  checker: Checker,
  report: (events: number, readTo: string | undefined) => void = () => undefined,
) {
  let events = 0;
  let first: AnswerOf<'verify'> | undefined;
  for (let cursor: string | undefined; ; ) {
    const slice = await ask({ ...head, part: 'journal', ...(cursor !== undefined && { cursor }) });
    first ??= slice;
    for (const change of slice.changes) checker.take(change);
    events += slice.changes.length;
    report(events, slice.readTo);
    cursor = slice.cursor;
    if (cursor === undefined) return { first, events };
  }
}

interface Whole {
  readonly subject: string;
  readonly version: number | undefined;
  readonly problem: string | undefined;
  readonly withheld: ReadonlySet<string>;
  readonly records: Map<string, ReadonlyMap<string, string>>;
}

/** The snapshots of these projects. One that several slices have may change between them: then its version
 *  here is the last one, and it is read again. */
async function* readSnapshots(ask: AskSlice, head: Head, subjects: readonly string[]): AsyncIterable<Whole> {
  let whole: Whole | undefined;
  for await (const { project, version, problem, withheld, records } of readParts(ask, head, subjects)) {
    const subject = subjectOf(project);
    if (whole && whole.subject !== subject) yield whole;
    const before: Whole['records'] = whole?.subject === subject ? whole.records : new Map();
    for (const [record, fields] of records) before.set(record, new Map(fields));
    whole = { subject, version, problem, withheld: new Set(withheld), records: before };
  }
  if (whole) yield whole;
}

async function* readParts(ask: AskSlice, head: Head, subjects: readonly string[]) {
  for (let from = 0; from < subjects.length; from += MAX_PROJECTS) {
    const projects = subjects.slice(from, from + MAX_PROJECTS).map(projectIn);
    let cursor: string | undefined;
    do {
      const slice = await ask({
        ...head,
        part: 'snapshots',
        projects,
        ...(cursor !== undefined && { cursor }),
      });
      yield* slice.snapshots;
      cursor = slice.cursor;
    } while (cursor !== undefined);
  }
}
