import { expect, it } from 'vitest';
import { type PassPorts, Reports } from '../../functions/pass/context/context.ts';
import { readDefinitions } from '../../functions/pass/state.ts';
import {
  ServiceAnswerError,
  ServiceStatusError,
  ServiceUnreachableError,
} from '../../functions/service/errors.ts';
import type { Service } from '../../functions/service/service.ts';

const GET = 'GET /processes/p/coverpage';
const fields = [{ externalId: 'budget' }];

/** Reads the definitions of a service that answers `error` to one of the two requests. */
async function read(list: 'coverpage' | 'taskCustomFields', error: Error, known: string[] = []) {
  const warned: [message: string, details: object | undefined][] = [];
  const log = {
    info: () => undefined,
    warn: (message: string, details?: object) => void warned.push([message, details]),
    error: () => undefined,
  };
  const service = {
    coverpage: async () => fields,
    taskCustomFields: async () => fields,
    [list]: async () => {
      throw error;
    },
  } as unknown as Service;
  const reports = new Reports(
    { process: { workspace: 'eu', processId: 'p' }, log, known } as unknown as PassPorts,
    [],
  );
  const definitions = await readDefinitions(service, 'p', reports);
  reports.logAndSave();
  return { definitions, warned };
}

it.each([
  ['coverpage', 'project', 'coverpage-denied'],
  ['taskCustomFields', 'task', 'task-fields-denied'],
] as const)('a refused list is not known, and said to be refused: %s', async (list, entity, code) => {
  for (const error of [
    ...[400, 403, 404, 499].map(status => new ServiceStatusError(GET, status, 'no')),
    new ServiceAnswerError(GET, { path: '$', expected: 'a list', found: 'null' }),
  ]) {
    const { definitions, warned } = await read(list, error);
    // What the configuration states already is not reported.
    expect((await read(list, error, [code])).warned).toEqual([]);
    expect(definitions).toEqual({ project: fields, task: fields, [entity]: undefined });
    expect(warned).toEqual([
      [
        expect.stringMatching(/cannot be read: fields keep their last known names and types/),
        { workspace: 'eu', processId: 'p', code, error: error.message },
      ],
    ]);
  }
});

it.each([
  ...[304, 401, 408, 429, 500, 503].map(status => new ServiceStatusError(GET, status, 'later')),
  new ServiceUnreachableError(GET, 'refused'),
  Object.assign(new Error('ours'), { status: 403 }),
])('a service that is down is not one without fields: %s', async error => {
  await expect(read('coverpage', error)).rejects.toBe(error);
});
