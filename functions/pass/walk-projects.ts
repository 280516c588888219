import { byText } from '../changes/order.ts';
import { ServiceAnswerError, ServiceError, ServiceStatusError } from '../service/errors.ts';
import { TornSnapshotError } from '../snapshots/snapshots.ts';
import { TooLargeError } from './commit-changes.ts';
import { fitting } from './fitting.ts';
import type { Pass } from './pass.ts';
import type { Processed } from './process-project.ts';
import { TaskListMissingError } from './task-list-missing-error.ts';
import { walk } from './walk.ts';

/** A project that could not be read or committed. */
export interface Failure {
  readonly id: string;
  readonly error: Error;
}

/** What a walk over projects left to do. */
export interface Walked {
  readonly outcome: 'done' | 'stopped';
  /** How many projects there were to walk, those of earlier runs of the pass included. */
  readonly total: number;
  /** Projects whose task list answered 404. */
  readonly gone: readonly string[];
  /** Projects that could not be read or committed; all others were. */
  readonly failures: readonly Failure[];
  /** True when some project’s state is not certain as of this walk, or of an earlier run of its pass. */
  readonly uncertain: boolean;
}

/** So many projects, and so many bytes of them, may be left to come by again while the progress moves on; they stand in one
 *  item of the table. */
const MOST_LEFT = 100;
const LEFT_BYTES = 100_000;

/** Works on the projects in id order, several at once, from where an earlier run stopped, on those that it left, and on those of
 *  `again`. A project that the service refuses or fails is reported, and the others go on. */
export async function walkProjects(
  pass: Pass,
  ids: Iterable<string>,
  work: (id: string) => Promise<Processed['outcome']>,
  again: ReadonlySet<string> = new Set(),
): Promise<Walked> {
  const { concurrency, onProgress } = pass.parts;
  const { progress, window } = pass.lease;
  const left = new Set(window?.left);
  const all = [...ids].sort(byText);
  const rest = all.filter(id => isAhead(id, progress) || left.has(id) || again.has(id));
  const before = all.length - rest.length;
  const gone: string[] = [];
  const failures: Failure[] = [];
  let uncertain = window?.uncertain === true;
  let areAllKept = true;
  const setLeft = (id: string, isLeft: boolean) => {
    // Those of `again` are walked in each run anyway.
    if (isLeft && !again.has(id)) left.add(id);
    else left.delete(id);
    const kept = fitting([...left].slice(0, MOST_LEFT), LEFT_BYTES);
    areAllKept = kept.length === left.size;
    if (areAllKept) pass.note({ left: kept });
  };
  onProgress?.(before, all.length);
  const outcome = await walk(rest, {
    concurrency,
    shouldStop: () => pass.outOfTime,
    onReached: async (id, done) => {
      const movesOn = areAllKept && isAhead(id, pass.lease.progress);
      await pass.keepAlive(movesOn ? id : undefined);
      onProgress?.(before + done, all.length);
    },
    work: async id => {
      try {
        const became = await work(id);
        if (became === 'gone') gone.push(id);
        setLeft(id, became === 'gone');
        if (became !== 'gone' && became !== 'doubtful') return;
        uncertain = true;
        if (became === 'doubtful') pass.note({ uncertain });
      } catch (error) {
        if (!isOfOneProject(error)) throw error;
        failures.push({ id, error });
        uncertain = true;
        setLeft(id, true);
        report(pass, id, error);
      }
    },
  });
  // Whichever came first: what is told of them must have the same order every time.
  failures.sort((one, other) => byText(one.id, other.id));
  gone.sort(byText);
  return { outcome, total: all.length, gone, failures, uncertain };
}

/** True for a project that a pass which stands at `progress` has yet to come to. */
function isAhead(id: string, progress: string | undefined): boolean {
  return progress === undefined || byText(id, progress) > 0;
}

/** One that is known to be left out fails in every pass: that is said once. */
function report(pass: Pass, projectId: string, error: Error): void {
  const { log, process, state } = pass.parts;
  if (state.skipped.some(({ id }) => id === projectId)) return;
  log.warn('A project can not be read or committed; the others go on.', {
    ...process,
    projectId,
    error: error.message,
  });
}

/** Requests for projects and their tasks; a token or a definition that can't be had is everybody's trouble. */
const OF_PROJECTS = /\/processes\/[^/]+\/projects([/?]|$)/;

/** True for what goes wrong with one project alone. A refused token or a rate limit is everybody's, and so is a service
 *  that can't be reached. */
export function isOfOneProject(error: unknown): error is Error {
  const kinds = [TooLargeError, TornSnapshotError, TaskListMissingError];
  if (kinds.some(kind => error instanceof kind)) return true;
  if (!(error instanceof ServiceError) || !OF_PROJECTS.test(error.request)) return false;
  if (error instanceof ServiceAnswerError) return true;
  return error instanceof ServiceStatusError && error.status !== 401 && error.status !== 429;
}

/** What is thrown behind a pass that had to leave too many projects out; `failures` are one at least. */
export function failureOf(failures: readonly Failure[]): Error {
  const [{ error: cause }] = failures as readonly [Failure];
  return new Error(
    `${failures.length} project(s) can not be read or committed. The first: ${cause.message}`,
    { cause },
  );
}
