import { createRegistry, type Registered } from '../delivery/registry.ts';
import { hasReports, sendReports } from '../delivery/reports.ts';
import { Refused } from './refused.ts';
import { workOffReplay } from './replay.ts';
import { workOffSnapshot } from './snapshot.ts';

/** The ports that carrying out replays and snapshots, and sending reports, needs. */
type JobPorts = Parameters<typeof workOffReplay>[0] & Parameters<typeof workOffSnapshot>[0];

/** Works off the reports, replays and snapshots of these endpoints in turn, a slice of each, while `hasTime`. One that
 *  fails is left for the next tick, and does not delay the others. */
export async function workOffJobs(
  ports: JobPorts,
  endpoints: readonly Registered[],
  hasTime: () => boolean,
): Promise<void> {
  const now = ports.clock();
  const reporting = endpoints.filter(({ row }) => row && hasReports(row.health, now));
  let jobs = endpoints.flatMap(({ endpoint: { name }, row }): Job[] => [
    ...(row?.replay ? [{ name, title: 'Replay', workOff: workOffReplay }] : []),
    ...(row?.snapshot ? [{ name, title: 'Snapshot', workOff: workOffSnapshot }] : []),
  ]);
  jobs.unshift(...reporting.map(({ endpoint: { name } }) => ({ name, title: 'Report', workOff: report })));
  while (jobs.length > 0) {
    const left: typeof jobs = [];
    for (const job of jobs) {
      if (!hasTime()) return;
      if (await workOffSlice(ports, job)) left.push(job);
    }
    jobs = left;
  }
}

interface Job {
  readonly name: string;
  readonly title: string;
  readonly workOff: (ports: JobPorts, name: string) => Promise<boolean>;
}

async function report(ports: JobPorts, name: string): Promise<boolean> {
  const { configured, endpoints: rows, clock } = ports;
  await sendReports(name, { ...ports, rows, registry: createRegistry(configured, rows, clock) });
  return false;
}

async function workOffSlice(ports: JobPorts, { name, title, workOff }: Job): Promise<boolean> {
  try {
    return await workOff(ports, name);
  } catch (error) {
    // The endpoint was removed in between.
    if (error instanceof Refused) return false;
    ports.log.error(`${title} failed; it continues with the next tick.`, {
      code: `${title.toLowerCase()}.failed`,
      endpoint: name,
      error: String(error),
    });
    return false;
  }
}

/** Whether a job of the endpoint is in progress. */
export function hasJob({ replay, snapshot }: NonNullable<Registered['row']>): boolean {
  return replay !== undefined || snapshot !== undefined;
}
