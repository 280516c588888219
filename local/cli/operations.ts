import { sendOne } from '../../functions/queue/queue.ts';
import { askedPass, passIn } from '../../functions/schedule/pass-message.ts';
import { failure } from '../basics/failure.ts';
import type { Page } from '../console/page.ts';
import type { RunContext } from '../data/data-directory.ts';
import type { Store } from '../data/store.ts';
import { type Address, formerAddress, removeAddress, writeAddress } from '../operate/address.ts';
import { doctorOf } from '../operate/doctor.ts';
import { localOperations } from '../operate/operations.ts';
import { startOperationsServer, userName } from '../operate/server.ts';
import type { Source } from '../source/source.ts';
import type { Endpoints } from './endpoints.ts';
import { processesOf } from './passes.ts';

interface Parts
  extends Pick<Store, 'rows' | 'deliveries' | 'actions' | 'states' | 'roster' | 'reader' | 'queues'>,
    Pick<Endpoints, 'configured' | 'onCommandLine' | 'secrets' | 'sender' | 'wakes'> {
  readonly source: Source;
  /** The console; undefined: the run has none. */
  readonly page: Page | undefined;
  /** Called after an operation that may have changed something. */
  readonly onAct: () => void;
}

/** Answers requests for operations until the run stops. The data directory has the address. */
export async function serveOperations(
  { closers, directory, output }: RunContext,
  { source, rows, reader, queues, wakes, page, ...parts }: Parts,
): Promise<Address> {
  const operations = localOperations({
    ...parts,
    isRunning: true,
    log: output.log,
    endpoints: rows,
    journal: reader,
    queues: wakes,
    doctor: doctorOf(source),
    processes: async () => processesOf(source),
    startPass: (process, mode) => sendOne(queues.passes, passIn(askedPass(process, mode, Date.now()))),
  });
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
  return server;
}
