import { byText } from '../changes/order.ts';
import { ServiceAnswerError, ServiceError, ServiceStatusError } from '../service/errors.ts';
import type { Pass } from './pass.ts';
import type { Processed } from './process-project.ts';
import { walk } from './walk.ts';

/** What a walk over projects left to do. */
export interface Walked {
  readonly outcome: 'done' | 'stopped';
  /** Projects whose task list answered 404. */
  readonly gone: readonly string[];
  /** Projects that could not be read, with the reason; all others were. */
  readonly failures: readonly Error[];
  /** True when some project's state is not certain as of this walk. */
  readonly uncertain: boolean;
}

/** Works on the projects in id order, several at once, from where an earlier run stopped. A project that the service
 *  refuses or fails is reported, and the others go on. What is left to do holds the progress: a run that goes on must
 *  come by it again. */
export async function walkProjects(
  pass: Pass,
  ids: Iterable<string>,
  work: (id: string) => Promise<Processed['outcome']>,
): Promise<Walked> {
  const { concurrency, onProgress } = pass.parts;
  const { progress } = pass.lease;
  const all = [...ids].sort(byText);
  const rest = all.filter(id => progress === undefined || byText(id, progress) > 0);
  const before = all.length - rest.length;
  const gone: string[] = [];
  const failures: Error[] = [];
  let uncertain = false;
  onProgress?.(before, all.length);
  const walked = await walk(rest, {
    concurrency,
    shouldStop: () => pass.outOfTime,
    onReached: async (id, done) => {
      await pass.keepAlive(gone.length + failures.length === 0 ? id : pass.lease.progress);
      onProgress?.(before + done, all.length);
    },
    work: async id => {
      try {
        const outcome = await work(id);
        if (outcome === 'gone') gone.push(id);
        uncertain ||= outcome === 'gone' || outcome === 'doubtful';
      } catch (error) {
        if (!isOfOneProject(error)) throw error;
        failures.push(error);
        uncertain = true;
        pass.parts.log.warn('A project can not be read; the others go on.', {
          ...pass.parts.process,
          projectId: id,
          error: error.message,
        });
      }
    },
  });
  return { outcome: walked, gone, failures, uncertain };
}

/** Requests for projects and their tasks; a token or a definition that can't be had is everybody's trouble. */
const OF_PROJECTS = /\/processes\/[^/]+\/projects([/?]|$)/;

/** A refused token or a rate limit is everybody's, and so is a service that can't be reached. */
function isOfOneProject(error: unknown): error is ServiceStatusError | ServiceAnswerError {
  if (!(error instanceof ServiceError) || !OF_PROJECTS.test(error.request)) return false;
  if (error instanceof ServiceAnswerError) return true;
  return error instanceof ServiceStatusError && error.status !== 401 && error.status !== 429;
}

/** What is thrown behind a pass that had to leave projects out. */
export function failureOf(failures: readonly Error[]): Error {
  const [first] = failures;
  return new Error(`${failures.length} project(s) can not be read. The first: ${first?.message}`);
}
