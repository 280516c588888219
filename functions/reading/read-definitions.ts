import type { DefinitionsRead } from '../changes/compare-definitions.ts';
import type { FieldDefinition } from '../changes/field-definition.ts';
import { isPassing, ServiceAnswerError, ServiceStatusError } from '../service/errors.ts';
import type { Service } from '../service/service.ts';
import type { Reports } from './reports.ts';

/** Both definition lists of a process; undefined for one that the service refuses, or answers in a shape that nobody
 *  could read: names and types are then as they last were. Everything else is thrown: a service that is only down must
 *  not look like one whose fields are gone. */
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
