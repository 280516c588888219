import { createRegistry } from '../../../functions/delivery/registry.ts';
import { reportProblem, reportRecovery, sendReports } from '../../../functions/delivery/reports.ts';
import type { EndpointRow, Health } from '../../../functions/model/endpoint-row.ts';
import { ENDPOINTS } from '../../../functions/store/keys.ts';
import { Violation } from '../oracle/violation.ts';
import type { Storage } from '../storage/storage.ts';
import { BEGIN, type Meeting, type MeetingWorld, type Place, type Reaching } from './meeting.ts';

/** What a party does with the health of one endpoint before it sends its reports, as a run that delivers, or a tick. */
type Role = 'fails' | 'recovers' | 'recovers and dies' | 'reports';

const [REPORTED, WATCHER] = ['crm', 'erp'];
const ATTEMPT = { now: BEGIN, depth: 0, origin: undefined };

/** Parties that report the health of one endpoint to another one. */
export function reportingWorlds(storage: MeetingWorld['storage']): MeetingWorld[] {
  return (
    [
      ['reports', 'reports'],
      ['fails', 'reports'],
      ['recovers', 'fails'],
      ['reports', 'reports', 'recovers and dies'],
    ] as const
  ).map(roles => partiesThatReport(storage, roles));
}

export function partiesThatReport(storage: MeetingWorld['storage'], roles: readonly Role[]): MeetingWorld {
  const name = `reports of an endpoint: ${roles.join(' and ')}, ${storage}`;
  return {
    name,
    storage,
    hasFault: roles[0] === 'reports' && roles.length === 2,
    meeting: place => meetingOf(place, roles),
  };
}

/** A report stays in its endpoint's row until the other endpoint has a delivery of it. */
function meetingOf(place: Place, roles: readonly Role[]): Meeting {
  const opened = new Set<number>();
  return {
    parties: roles.map(role => ({ name: role, run: reaching => report(place, reaching, role) })),
    prepare: async ({ ports: { rows } }) => {
      await rows.change(WATCHER, () => ({
        ...{ name: WATCHER, health: {} },
        settings: {
          name: WATCHER,
          kind: 'webhook',
          filter: { events: ['endpoint.failing', 'endpoint.recovered'] },
        },
      }));
      const settings = { name: REPORTED, kind: 'webhook' } as const;
      await rows.change(REPORTED, () => ({ name: REPORTED, settings, health: {} }));
      // Its first report is left by a run that died.
      await rows.change(REPORTED, row => row && { ...row, health: failing(row.health) });
    },
    check: () => {
      const open = openIn(place.storage);
      for (const version of open) opened.add(version);
      const lost = [...opened].find(
        version => !open.includes(version) && !hasWatcher(place.storage, version),
      );
      if (lost !== undefined)
        throw new Violation(11, `a report left its row, but ${WATCHER} has no delivery of it`);
    },
    state: () => [...opened],
  };
}

async function report(place: Place, { ports, clock }: Reaching, role: Role): Promise<void> {
  const change = role === 'fails' ? failing : role === 'reports' ? undefined : recovered;
  if (change) await ports.rows.change(REPORTED, row => row && { ...row, health: change(row.health) });
  if (role === 'recovers and dies') return;
  await sendReports(REPORTED, {
    ...{ ...ports, clock, log: place.log },
    registry: createRegistry([], ports.rows, clock),
    queues: { wake: async () => {} },
  });
}

function failing(health: Health): Health {
  const since = (health.reports?.version ?? BEGIN) + 1;
  return reportProblem({ ...health, failing: { since, probes: 1 } }, { ...ATTEMPT, reason: 'answered 500' });
}

function recovered({ failing: _, ...health }: Health): Health {
  return reportRecovery(health, BEGIN, undefined);
}

function openIn(storage: Storage): number[] {
  const item = [...storage.items()].find(({ pk, sk }) => pk?.S === ENDPOINTS && sk?.S === REPORTED);
  const { health } = JSON.parse(item?.row?.S ?? '{"health":{}}') as EndpointRow;
  return (health.reports?.open ?? []).map(({ version }) => version);
}

function hasWatcher(storage: Storage, version: number): boolean {
  const isOf = (place: string | undefined) => place?.includes(`#${version}#`) === true;
  return [...storage.items()].some(({ pk, sk }) => pk?.S === `ENDPOINT#${WATCHER}` && isOf(sk?.S));
}
