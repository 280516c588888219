import type { Duration } from 'aws-cdk-lib';
import type { ChangesProps } from './changes.ts';

/** One process to poll. */
export interface ProcessProps {
  /** The service's id of the process: 1 to 128 printable characters, no spaces. */
  readonly id: string;

  /** How far behind the last pass each pass for changes asks again, for clocks that differ and edits that appear
   *  late: a second to a day.
   *  @default "120s" */
  readonly overlap?: Duration | string;

  /** Fields whose change alone is no event, beside the usual update timestamps.
   *  @default [] */
  readonly ignoreFields?: readonly string[];

  /** `false` where the credentials may not read the audit log: nobody asks for it, and nobody is told.
   *  @default true */
  readonly auditLog?: boolean;

  /** Whether each new entry of the audit log is told, too, as it came (`audit.recorded`).
   *  @default false */
  readonly audit?: boolean;

  /** How often this process is asked for changes: always after the same time, or by what was found.
   *  @default - that of the whole */
  readonly changes?: Duration | string | ChangesProps;

  /** How often all its projects are compared, which finds deletions: a minute to 24 hours.
   *  @default - that of the whole */
  readonly sweep?: Duration | string;
}
