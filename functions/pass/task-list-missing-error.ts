/** A listed project's task list answers 404, though it had tasks, or is new: whether they are gone, or the service is at fault, nothing
 *  tells. Its message may be read by subscribers. */
export class TaskListMissingError extends Error {
  constructor(projectId: string) {
    super(
      `Project ${projectId} is listed, but its task list answers 404. Its tasks are left as they were; see in the service ` +
        'whether they can be opened there.',
    );
  }
}
