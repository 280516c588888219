import { ServiceStatusError } from '../service/errors.ts';
import type { Pass } from './pass.ts';
import { isOfOneProject } from './walk-projects.ts';

/** Whether the task list of a project that no listing shows is there; undefined when the service refuses or fails it: that
 *  says neither, and never means deletion.
 *  @throws what is no matter of this project alone, such as a token that can't be had */
export async function taskListAnswers(pass: Pass, projectId: string): Promise<200 | 404 | undefined> {
  const { service, process } = pass.parts;
  try {
    for await (const _page of service.tasks(process.processId, projectId)) break;
    return 200;
  } catch (error) {
    if (!isOfOneProject(error)) throw error;
    return error instanceof ServiceStatusError && error.status === 404 ? 404 : undefined;
  } finally {
    await pass.keepAlive();
  }
}
