import type { Mode, ProcessKey } from '../../functions/basics/process.ts';
import { Refused } from '../../functions/operations/refused.ts';
import type { Closers } from '../basics/closers.ts';
import { failure } from '../basics/failure.ts';
import type { Output } from '../basics/output.ts';
import type { Scheduler } from '../basics/scheduler.ts';
import type { Page } from '../console/page.ts';
import type { DataDirectory } from '../data/data-directory.ts';
import { type Address, formerAddress, removeAddress, writeAddress } from './address.ts';
import { type LocalParts, localOperations } from './operations.ts';
import { startOperationsServer, userName } from './server.ts';

interface Run {
  readonly closers: Closers;
  readonly directory: DataDirectory;
  readonly output: Output;
}

/** Has a pass begin now, or when the one under way ends. */
export type Begin = (process: ProcessKey, mode: Mode) => ReturnType<Scheduler['runNow']>;

/** Answers the requests of people until the run stops. Its data directory says where. Passes can be asked
 *  for once the scheduler has started. */
export async function serveOperations(
  { closers, directory, output }: Run,
  parts: Omit<LocalParts, 'isRunning' | 'passes' | 'log'>,
  page: Page | undefined,
): Promise<{ readonly address: Address; passesBeginBy(begin: Begin): void }> {
  let begin: Begin = () => 'unknown';
  const passes: LocalParts['passes'] = {
    start: async (process, mode) => {
      if (begin(process, mode) === 'unknown')
        throw new Refused('The run is about to start, or to stop. Try again in a moment.');
    },
  };
  const operations = localOperations({ ...parts, isRunning: true, passes, log: output.log });
  const server = await startOperationsServer(operations, {
    page,
    before: formerAddress(directory.path),
    who: userName(),
    onError: error => output.warn(`A request failed: ${failure(error)}.`),
  });
  writeAddress(directory.path, server);
  closers.add(async () => {
    removeAddress(directory.path, server);
    await server.stop();
  });
  return {
    address: server,
    passesBeginBy: given => {
      begin = given;
    },
  };
}
