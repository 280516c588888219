import { auditEvents } from '../../../functions/changes/process-events.ts';
import { isErased } from '../../../functions/model/erase.ts';
import type { AuditEvent } from '../../../functions/model/event.ts';
import { eraseProject } from '../../../functions/operations/erase.ts';
import { decodeEvents } from '../../../functions/store/codec.ts';
import { CHANGE } from '../../../functions/store/keys.ts';
import { Violation } from '../oracle/violation.ts';
import { BEGIN, type Meeting, type MeetingWorld, type Party, type Place, type Reaching } from './meeting.ts';
import { callOf, operationsOf } from './operating.ts';
import { OF } from './state-rows.ts';

const PROJECTS = ['p.1', 'p.2'];

/** Operators that erase projects whose audit entries are in one change record. */
export function erasuresOfRecord(storage: MeetingWorld['storage']): MeetingWorld {
  const name = `one change record: two of its projects are erased, ${storage}`;
  return { name, storage, hasFault: true, meeting: meetingOf };
}

/** What is erased stays so, and each erasure that ended erased its project. */
function meetingOf(place: Place): Meeting {
  const erased = new Set<string>();
  const check = (): void => {
    const events = eventsIn(place);
    if (events.length !== PROJECTS.length) throw new Violation(11, 'an erasure lost an event of the journal');
    for (const projectId of PROJECTS) {
      const isNow = events.some(event => isErased(event) && event.id.includes(digestOf(projectId)));
      if (!isNow && erased.has(projectId)) throw new Violation(11, `what was erased of ${projectId} is back`);
      if (isNow) erased.add(projectId);
    }
  };
  const parties = PROJECTS.map((project): Party => {
    return { name: project, run: reaching => erase(place, reaching, project) };
  });
  return {
    parties,
    prepare: async ({ ports: { snapshots } }) => {
      const { announced } = await snapshots.readState(OF);
      const entries = PROJECTS.map(id => ({
        ...{ id: digestOf(id), projects: [id], tasks: [], users: [] },
        entry: { objectId: id, to: `a name of ${id}` },
      }));
      const request = { events: auditEvents(OF, entries, AT_BEGIN), ...AT_BEGIN };
      const state = { baselined: true, baselinedAt: BEGIN };
      await snapshots.announce(OF, { announced, state, entries: entries.map(({ id }) => id), request });
    },
    check,
    checkEnd: (_, struck) => {
      const left = parties.find(party => struck.get(party) !== 'dies-before' && !erased.has(party.name));
      if (left) throw new Violation(11, `${left.name} is not erased`);
    },
    state: () => [...erased],
  };
}

const AT_BEGIN = { version: BEGIN, at: BEGIN };

function digestOf(projectId: string): string {
  return Buffer.from(projectId).toString('hex').padStart(32, '0');
}

function eventsIn({ storage }: Place): AuditEvent[] {
  const records = [...storage.items()].filter(({ sk }) => sk?.S?.startsWith(CHANGE));
  return records.flatMap(({ events }) => decodeEvents(events?.B as Uint8Array) as AuditEvent[]);
}

async function erase({ storage }: Place, reaching: Reaching, project: string): Promise<void> {
  const { journal } = reaching.ports;
  const replace: typeof journal.replace = async (...given) => {
    if (!storage.isLocal) return journal.replace(...given);
    await callOf(reaching, 'replace', () => journal.replace(...given));
  };
  const more = {
    processes: async () => [OF],
    snapshots: { withSnapshot: async () => new Set([project]) },
    journal: { search: journal.search, replace },
  };
  const context = operationsOf(reaching, { id: project, texts: new Map(), more });
  const { cursor } = (await eraseProject(context, { operation: 'erase', project })).answer;
  if (cursor !== undefined) throw new Violation(11, 'the erasure takes more than a slice');
}
