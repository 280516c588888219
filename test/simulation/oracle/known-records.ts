import type { DynamoDBRecord } from 'aws-lambda';
import { PROJECT_PREFIX } from '../../../functions/store/keys.ts';
import type { Told } from '../../kit/told.ts';

/** The projects and tasks that have been known, moment by moment: each write of a snapshot begins another. */
export class KnownRecords {
  readonly #snapshots: Told;
  readonly #moments: Told[];

  /** `snapshots`: those that the table holds; a new value for each commit of a project. */
  constructor(snapshots: Told) {
    this.#snapshots = snapshots;
    this.#moments = [{ ...snapshots }];
  }

  /** The number of this moment. */
  get now(): number {
    return this.#moments.length - 1;
  }

  /** Told of the records of a write, which the snapshots show already. */
  wrote(records: readonly DynamoDBRecord[]): void {
    if (records.some(({ dynamodb }) => dynamodb?.Keys?.sk?.S?.startsWith(PROJECT_PREFIX))) this.begin();
  }

  /** Another moment begins, as in a table that was restored. */
  begin(): void {
    this.#moments.push({ ...this.#snapshots });
  }

  /** All that a run may have found that has looked between this moment and now. */
  since(moment: number): KnownSince {
    const moments = this.#moments.slice(moment);
    const hasTask = (projectId: string, taskId: string) => (snapshots: Told) =>
      Object.hasOwn(snapshots[projectId]?.tasks ?? {}, taskId);
    return {
      hadProject: id => moments.every(snapshots => Object.hasOwn(snapshots, id)),
      hadTask: (projectId, taskId) => moments.every(hasTask(projectId, taskId)),
      mayHaveHadTask: (projectId, taskId) => moments.some(hasTask(projectId, taskId)),
    };
  }
}

export interface KnownSince {
  /** Whether the project was known all the while. */
  hadProject(id: string): boolean;
  /** Whether the project had this task all the while. */
  hadTask(projectId: string, taskId: string): boolean;
  /** Whether it had it at any moment. */
  mayHaveHadTask(projectId: string, taskId: string): boolean;
}
