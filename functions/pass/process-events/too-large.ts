/** A project that is too large for one transaction. */
export class TooLargeError extends Error {
  readonly scope = 'project';

  constructor(processId: string, projectId: string) {
    super(
      `Project ${projectId} of process ${processId} is too large to commit: its record and tasks, compressed, exceed the ` +
        '4 MB of one DynamoDB transaction. Split the project in the service.',
    );
  }
}
