import type { Closers } from '../basics/closers.ts';
import { failure } from '../basics/failure.ts';
import type { Output } from '../basics/output.ts';
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

/** Answers the requests of people until the run stops. Its data directory says where. */
export async function serveOperations(
  { closers, directory, output }: Run,
  parts: Omit<LocalParts, 'isRunning' | 'log'>,
  page: Page | undefined,
): Promise<{ readonly address: Address }> {
  const operations = localOperations({ ...parts, isRunning: true, log: output.log });
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
  return { address: server };
}
