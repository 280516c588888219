import type { Passes } from '../../functions/operations/context.ts';
import { sendOne } from '../../functions/queue/queue.ts';
import type { SqliteQueue } from '../../functions/queue/sqlite.ts';
import { askedPass, passIn } from '../../functions/schedule/pass-message.ts';
import type { Page } from '../console/page.ts';
import type { Store } from '../data/store.ts';
import { doctorOf } from '../operate/doctor.ts';
import { serveOperations } from '../operate/serve.ts';
import type { Source } from '../source/source.ts';
import type { Endpoints } from './endpoints.ts';
import { processesOf } from './passes.ts';

interface Parts
  extends Pick<Store, 'rows' | 'deliveries' | 'actions' | 'states' | 'roster' | 'reader' | 'queues'>,
    Pick<Endpoints, 'configured' | 'onCommandLine' | 'secrets' | 'sender' | 'wakes'> {
  readonly source: Source;
  /** The console; undefined: nobody wants one. */
  readonly page: Page | undefined;
  /** Called after an operation that changed something. */
  readonly onAct: () => void;
}

/** Has a run answer what people ask. */
export function answerPeople(
  house: Parameters<typeof serveOperations>[0],
  {
    source,
    rows,
    deliveries,
    actions,
    states,
    roster,
    reader: journal,
    configured,
    onCommandLine,
    secrets,
    sender,
    wakes,
    queues,
    page,
    onAct,
  }: Parts,
): ReturnType<typeof serveOperations> {
  const parts = {
    ...{
      endpoints: rows,
      deliveries,
      actions,
      states,
      roster,
      journal,
      configured,
      onCommandLine,
      secrets,
      sender,
      onAct,
    },
    doctor: doctorOf(source),
    processes: async () => processesOf(source),
    queues: wakes,
    passes: startedBy(queues.passes),
  };
  return serveOperations(house, parts, page);
}

/** Starts passes by messages of the queue. */
function startedBy(queue: SqliteQueue): Passes {
  return { start: (process, mode) => sendOne(queue, passIn(askedPass(process, mode, Date.now()))) };
}
