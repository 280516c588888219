import { createHash } from 'node:crypto';
import type { ProcessKey } from '../../../functions/basics/process.ts';
import { onHoldEvent } from '../../../functions/changes/process-events.ts';
import type { ChangeEvent } from '../../../functions/model/event.ts';
import type { Recheck } from '../../../functions/model/process-state.ts';
import type { ProjectContent, Snapshot } from '../../../functions/model/snapshot.ts';
import type { CommitRequest, Lease, LeaseRequest, Snapshots } from '../../../functions/store/store.ts';

export const AT = Date.UTC(2026, 10, 21, 12);

/** A snapshots port under test, and the events that its change records hold, in the order of their keys. */
export interface Subject {
  readonly snapshots: Snapshots;
  readonly journal: (processId: string) => Promise<ChangeEvent[]>;
}

export const content = (record: object, tasks: Record<string, object> = {}): ProjectContent =>
  ({ record, tasks: new Map(Object.entries(tasks)) }) as ProjectContent;

export const snapshot = (version: number, of: ProjectContent): Snapshot => ({
  version,
  content: of,
  recordReadAt: AT - 2,
  tasksReadAt: AT - 1,
});

/** A commit of a project; by default of one that is not there yet, without events. */
export const commitOf = (
  projectId: string,
  of: Snapshot | undefined,
  more: Partial<CommitRequest> = {},
): CommitRequest => ({
  ...{ projectId, expected: undefined, snapshot: of, version: of?.version ?? AT, events: [], at: AT },
  ...more,
});

/** A recheck of a project that could not be read. */
export const recheckOf = (more: Partial<Recheck> = {}): Omit<Recheck, 'revision'> => ({
  ...{ cause: 'unreadable', since: 0, foundAt: AT, reason: 'answered 500', isReported: false },
  ...more,
});

/** Takes a lease that must be free. */
export async function leaseOf(
  snapshots: Pick<Snapshots, 'takeLease'>,
  process: ProcessKey,
  more: Partial<LeaseRequest> = {},
): Promise<Lease> {
  const request = { mode: 'changes', owner: 'run', now: AT, until: AT + 60_000, ...more } as const;
  const lease = await snapshots.takeLease(process, request);
  if (!lease) throw new Error('The lease is not free.');
  return lease;
}

/** Random text, which can't be compressed. */
export function noise(length: number, seed = 1): string {
  const bytes = createHash('shake256', { outputLength: length }).update(String(seed)).digest();
  for (let at = 0; at < length; at++) bytes[at] = 33 + ((bytes[at] ?? 0) % 90);
  return bytes.toString('latin1');
}

export const event = (version: number): ChangeEvent =>
  onHoldEvent({ workspace: 'eu', processId: 'p' }, { version, at: AT, missing: 1, known: 2 });
