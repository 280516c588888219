import type { DefinitionsRead } from '../../changes/compare-definitions.ts';
import type { FieldDefinition } from '../../model/field-definition.ts';
import { isPassing, ServiceAnswerError, ServiceStatusError } from '../../service/errors.ts';
import type { Service } from '../../service/service.ts';
import type { Reports } from './reports.ts';

/** Reads both lists of field definitions. One that the service refuses, or answers in an unusable shape, is undefined: its
 *  fields then keep the names and types known before. All other errors are thrown: while the service is down, fields must
 *  not seem to be removed. */
export async function readDefinitions(
  service: Service,
  processId: string,
  reports: Reports,
): Promise<DefinitionsRead> {
  return {
    project: await readIfShown(() => service.coverpage(processId), 'coverpage-denied', reports),
    task: await readIfShown(() => service.taskCustomFields(processId), 'task-fields-denied', reports),
  };
}

async function readIfShown(
  read: () => Promise<readonly FieldDefinition[]>,
  code: string,
  reports: Reports,
): Promise<readonly FieldDefinition[] | undefined> {
  try {
    return await read();
  } catch (error) {
    if (!isRefusal(error)) throw error;
    const message =
      'Field definitions can not be read: fields keep the names and types that were known before.';
    reports.once(code, message, { error: (error as Error).message });
    return undefined;
  }
}

function isRefusal(error: unknown): boolean {
  if (error instanceof ServiceAnswerError) return true;
  return (
    error instanceof ServiceStatusError &&
    error.status >= 400 &&
    error.status !== 401 &&
    !isPassing(error.status)
  );
}
