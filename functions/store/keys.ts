import { createHash } from 'node:crypto';
import type { Mode, ProcessKey } from '../basics/process.ts';
import type { Timer } from '../model/due.ts';
import { decodePart, encodePart } from '../model/event-id.ts';
import type { Subject } from './store.ts';

/** A primary key as DynamoDB's low-level client takes it. */
export type Key = { pk: { S: string }; sk: { S: string } };

/** DynamoDB's limit of a sort key in bytes; ours are ASCII. */
const MAX_KEY = 1024;
/** The bytes that the longest prefix below and the time leave for an event's id. */
const MAX_EVENT_ID = MAX_KEY - 'ATTEMPT#0000000000000#'.length;

/** The last time in ms that has 13 digits. */
const LAST_TIME = 9_999_999_999_999;

export const PROJECT_PREFIX = 'PROJECT#';
/** The keys of change records begin with this; the filter of the stream depends on it. */
export const CHANGE = 'CHANGE#';

export function partition({ workspace, processId }: ProcessKey): string {
  return `W#${encodePart(workspace)}#P#${encodePart(processId)}`;
}

function key(process: ProcessKey, sk: string): Key {
  return { pk: { S: partition(process) }, sk: { S: sk } };
}

export const STATE = 'STATE';
export const stateKey = (process: ProcessKey): Key => key(process, STATE);
/** Items for parts that are too large for the state's own item. `tag` names one write of a part: its time,
 *  and a random number. */
export const STATE_PART = 'STATE#PART#';
export const statePartPrefix = (name: string, tag?: string): string =>
  tag === undefined ? `${STATE_PART}${name}#` : `${STATE_PART}${name}#${tag}#`;
export const statePartKey = (process: ProcessKey, name: string, tag: string, part: number): Key =>
  key(process, `${statePartPrefix(name, tag)}${String(part).padStart(4, '0')}`);

/** Rechecks and the rows of passes are adjacent in key order: one query from RECHECK to LAST_PASS reads
 *  them all. */
export const RECHECK = 'DEBT#';
export const PASS = 'PASS#';
export const LAST_PASS = `${PASS}~`;
export const passKey = (process: ProcessKey, mode: Mode): Key => key(process, PASS + mode);
/** The positions that `changes` passes have seen. */
export const seenKey = (process: ProcessKey): Key => key(process, `${PASS}changes#SEEN`);

/** The users of the workspace, as passes of the process know them. */
export const USERS = 'USERS';
export const usersKey = (process: ProcessKey): Key => key(process, USERS);

/** A project whose identifier is too long for a key can still have a recheck: its key has a hash instead.
 *  No encoded identifier begins with `#`, as the hash does. */
export const recheckKey = (process: ProcessKey, id: string): Key => {
  const named = key(process, RECHECK + encodePart(id));
  return fitsKey(named) ? named : key(process, RECHECK + hashed(encodePart(id)));
};

/** The project of a recheck; undefined if the key has only its hash. */
export const projectOfRecheck = (sk: string): string | undefined => {
  const encoded = sk.slice(RECHECK.length);
  return encoded.startsWith('#') ? undefined : decodePart(encoded);
};

/** Identifiers are encoded, so that one with a `#` can't look like a part of another. */
export const projectKey = (process: ProcessKey, id: string): Key =>
  key(process, PROJECT_PREFIX + encodePart(id));

/** The project of an item, by its key. The attribute `projectId` can't show it: DynamoDB stores no text
 *  with half a surrogate pair, which an identifier may contain. */
export const projectOf = (sk: string): string => decodePart(sk.slice(PROJECT_PREFIX.length));

/** An audit entry that was emitted, by its digest. */
export const auditKey = (process: ProcessKey, digest: string): Key => key(process, AUDIT + digest);
export const AUDIT = 'AUDIT#';

/** The entry's digest in such a key. */
export const entryIn = (sk: string): string => sk.slice(AUDIT.length);

/** The row of a project whose next value falls due at this time. */
export const TIMER = 'TIMER#';
export const timerKey = (process: ProcessKey, { at, projectId }: Timer): Key =>
  key(process, `${TIMER}${timeOf(at)}#${encodePart(projectId)}`);
export const timerIn = (sk: string): Timer => {
  const [at, id] = sk.slice(TIMER.length).split('#') as [string, string];
  return { at: Number(at), projectId: decodePart(id) };
};

export const TOMBSTONE = 'TOMBSTONE#';
export const tombstoneKey = (process: ProcessKey, id: string): Key =>
  key(process, TOMBSTONE + encodePart(id));

/** Part 0 is the project's own item; the others hold the rest of its bytes. */
export const partKey = (process: ProcessKey, id: string, part: number): Key =>
  key(process, `${partPrefix(id)}${String(part).padStart(4, '0')}`);

/** A key after all items of this project and before those of the next: `$` sorts after the `#` that begins
 *  the names of its parts, and before every character of an encoded identifier. */
export const afterProject = (id: string): string => `${PROJECT_PREFIX}${encodePart(id)}$`.slice(0, MAX_KEY);

export const partPrefix = (id: string): string => `${PROJECT_PREFIX}${encodePart(id)}#PART#`;

/** Change records sort by the time of their commit. */
export function changeKey(process: ProcessKey, at: number, id: string, version: number, part: number): Key {
  const base = `${changeTime(at)}#${encodePart(id)}#${version}`;
  return key(process, part === 0 ? base : `${base}#PART#${String(part).padStart(4, '0')}`);
}

/** The beginning of the keys of change records of a time. */
export function changeTime(at: number): string {
  const time = Math.min(Math.max(Math.floor(at), 0), LAST_TIME);
  return CHANGE + String(time).padStart(13, '0');
}

export const LAYOUT_KEY: Key = { pk: { S: 'LAYOUT' }, sk: { S: 'LAYOUT' } };

/** The row with the time up to which ticks have claimed the passes. */
export const TICK_KEY: Key = { pk: { S: 'TICK' }, sk: { S: 'TICK' } };

/** The roster: all processes in one partition. */
export const ROSTER = 'PROCESSES';
export const rosterKey = ({ workspace, processId }: ProcessKey): Key => ({
  pk: { S: ROSTER },
  sk: { S: `${encodePart(workspace)}#${encodePart(processId)}` },
});

/** The process of a row of the roster, by its sort key. */
export function processIn(sk: string): ProcessKey {
  const [workspace, processId] = sk.split('#') as [string, string];
  return { workspace: decodePart(workspace), processId: decodePart(processId) };
}

/** The state that the runs of each workspace share: all workspaces in one partition, which ticks read
 *  completely. */
export const WORKSPACES = 'WORKSPACES';
export const workspaceRowKey = (name: string): Key => ({
  pk: { S: WORKSPACES },
  sk: { S: encodePart(name) },
});
/** The last idle passes of a group of the workspace's processes. */
export const completionPrefix = (workspace: string): string => `${encodePart(workspace)}#`;
export const completionsKey = (workspace: string, group: number): Key => ({
  pk: { S: WORKSPACES },
  sk: { S: completionPrefix(workspace) + group },
});
/** The workspace of either kind of row. */
export const workspaceIn = (sk: string): string => decodePart(sk.split('#')[0] as string);

/** The row that changes with the settings of endpoints. */
export const REGISTRY_KEY: Key = { pk: { S: 'REGISTRY' }, sk: { S: 'REGISTRY' } };

/** The registry: all endpoints in one partition, which is read completely. */
export const ENDPOINTS = 'ENDPOINTS';
export const endpointRowKey = (name: string): Key => ({ pk: { S: ENDPOINTS }, sk: { S: encodePart(name) } });

export const PENDING = 'PENDING#';
export const DEAD = 'DEAD#';
export const ATTEMPT = 'ATTEMPT#';
const LATE = 'LATE#';
/** Actions of operators on an endpoint, on a process, or on the stack as a whole. */
export const ACTION = 'ACTION#';
/** A copy of each action on an endpoint or process, in the partition of the stack, for a list of all. */
export const ANY_ACTION = 'ANY#';
/** The partition of actions that concern no single endpoint or process. */
export const STACK = 'STACK';

/** The partition of an endpoint's deliveries, attempts and actions. */
export const endpointPartition = (name: string): string => `ENDPOINT#${encodePart(name)}`;
const endpointKey = (name: string, sk: string): Key => ({
  pk: { S: endpointPartition(name) },
  sk: { S: sk },
});

/** The row with the time of the endpoint's next message. */
export const slotKey = (name: string): Key => endpointKey(name, 'SLOT');

/** The threads of projects in the endpoint's chat. */
export const THREAD = 'THREAD#';
export const threadKey = (
  endpoint: string,
  { workspace, processId, projectId }: ProcessKey & { readonly projectId: string },
): Key => {
  const encoded = [workspace, processId, projectId].map(encodePart).join('#');
  const named = endpointKey(endpoint, THREAD + encoded);
  return fitsKey(named) ? named : endpointKey(endpoint, THREAD + hashed(encoded));
};

/** Pending deliveries, dead letters and attempts sort by their time, in ms since 1970. `place` is the rest
 *  of the key. */
export const pendingKey = (endpoint: string, place: string): Key => endpointKey(endpoint, PENDING + place);
export const deadKey = (endpoint: string, place: string): Key => endpointKey(endpoint, DEAD + place);
export const attemptKey = (endpoint: string, place: string): Key => endpointKey(endpoint, ATTEMPT + place);
/** The keys of an event's late attempts begin with this, and end with their times. */
export const latePrefix = (eventId: string): string => `${LATE}${shortened(encodePart(eventId))}#`;
export const lateKey = (endpoint: string, eventId: string, at: number): Key =>
  endpointKey(endpoint, latePrefix(eventId) + timeOf(at));
/** The place of a pending delivery. Replays sort after all live ones. */
export const pendingPlace = (at: number, eventId: string, isReplay: boolean): string =>
  `${isReplay ? REPLAYED : ''}${placeOf(at, eventId)}`;
/** Sorts after all digits. */
export const REPLAYED = 'R';
/** A place without the mark of replays, as dead letters have it. */
export const unmarked = (place: string): string =>
  place.startsWith(REPLAYED) ? place.slice(REPLAYED.length) : place;
export const placeOf = (at: number, eventId: string): string =>
  `${timeOf(at)}#${shortened(encodePart(eventId))}`;

/** Sorts before all places of this time, and after all of earlier ones. */
export const timeOf = (at: number): string => String(at).padStart(13, '0');

/** An event's id that is too long for a key is replaced by its hash; no encoded id begins with `#`. */
function shortened(encodedId: string): string {
  if (encodedId.length <= MAX_EVENT_ID) return encodedId;
  return hashed(encodedId);
}

function hashed(encodedId: string): string {
  return `#${createHash('sha256').update(encodedId).digest('hex')}`;
}

/** False for a key that is longer than DynamoDB allows: no item has it, and a request for it is an error. */
export function fitsKey({ sk }: Key): boolean {
  return sk.S.length <= MAX_KEY;
}

/** The partition of an endpoint, of a process, or of the stack. */
export function subjectPartition(subject: Subject): string {
  if ('stack' in subject) return STACK;
  return 'endpoint' in subject ? endpointPartition(subject.endpoint) : partition(subject.process);
}

/** The process of a partition; undefined for other partitions. */
export function processOf(pk: string): ProcessKey | undefined {
  const parts = /^W#(?<workspace>[^#]*)#P#(?<processId>[^#]*)$/.exec(pk)?.groups;
  if (!parts) return undefined;
  const { workspace, processId } = parts as { workspace: string; processId: string };
  return { workspace: decodePart(workspace), processId: decodePart(processId) };
}

/** The encoded identifier of the project in a change record's key. */
export function projectIn(sk: string): string {
  return sk.split('#')[2] ?? '';
}

/** The place of a change record in the journal, according to the id of one of its events: parts of its key
 *  (`changeKey`). */
interface ChangePlace {
  /** The process's identifier, percent-encoded. */
  readonly process: string;
  /** The part of its key after the time. */
  readonly end: string;
  /** The time of its commit in ms since 1970, or later: a version is never smaller than that time. */
  readonly version: number;
}

/** The audit entry of an event, according to its id. Only its row names its change record. */
interface EntryPlace {
  /** The process's identifier, percent-encoded. */
  readonly process: string;
  readonly digest: string;
}

/** Undefined for any other id than that of an audit entry's event. */
export function entryPlaceOf(eventId: string): EntryPlace | undefined {
  const parts = /^(?<process>[\w~%-]*)\.\.(?<digest>[0-9a-f]{32})\.0$/.exec(eventId)?.groups;
  if (!parts) return undefined;
  const { process, digest } = parts as { process: string; digest: string };
  return { process, digest };
}

/** Undefined for any other text than an event's id, and for the id of an audit entry's event. */
export function changePlaceOf(eventId: string): ChangePlace | undefined {
  const parts = /^(?<process>[\w~%-]*)\.(?<project>[\w~%-]*)\.(?<version>\d{1,16})\.\d+$/.exec(
    eventId,
  )?.groups;
  if (!parts) return undefined;
  const { process, project, version } = parts as { process: string; project: string; version: string };
  return { process, end: `#${project}#${version}`, version: Number(version) };
}
