import type { Page } from '../console/page.ts';
import type { Store } from '../data/store.ts';
import { doctorOf } from '../operate/doctor.ts';
import { serveOperations } from '../operate/serve.ts';
import type { Source } from '../source/source.ts';
import type { Endpoints } from './endpoints.ts';
import { processesOf } from './passes.ts';
import type { Table } from './table.ts';

interface Parts
  extends Pick<Store, 'rows' | 'deliveries' | 'actions'>,
    ReturnType<Table['looks']>,
    Pick<Endpoints, 'configured' | 'onCommandLine' | 'secrets' | 'sender' | 'obey'> {
  readonly source: Source;
  /** The console; undefined: nobody wants one. */
  readonly page: Page | undefined;
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
    journal,
    configured,
    onCommandLine,
    secrets,
    sender,
    obey,
    page,
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
      obey,
    },
    doctor: doctorOf(source),
    processes: async () => processesOf(source),
    // Not needed: a changed row of an endpoint wakes its lane (`Fleet`).
    queues: { wake: async () => undefined },
  };
  return serveOperations(house, parts, page);
}
