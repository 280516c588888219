/** Where a change record is in the journal, as the id of one of its events says it: parts of its key
 *  (`changeKey`). */
export interface ChangePlace {
  /** The process's identifier, percent-encoded. */
  readonly process: string;
  /** What follows the time in its key. */
  readonly end: string;
  /** The time of its commit in ms since 1970, or later: a version is never smaller than that time. */
  readonly version: number;
}

/** The audit entry that an event tells, as its id says it. Only its row knows where its change record is. */
export interface EntryPlace {
  /** The process's identifier, percent-encoded. */
  readonly process: string;
  readonly digest: string;
}

/** Undefined for what is no id of an audit entry's event. */
export function entryPlaceOf(eventId: string): EntryPlace | undefined {
  const parts = /^(?<process>[\w~%-]*)\.\.(?<digest>[0-9a-f]{32})\.0$/.exec(eventId)?.groups;
  if (!parts) return undefined;
  const { process, digest } = parts as { process: string; digest: string };
  return { process, digest };
}

/** Undefined for what is no event's id, and for that of an audit entry's event. */
export function changePlaceOf(eventId: string): ChangePlace | undefined {
  const parts = /^(?<process>[\w~%-]*)\.(?<project>[\w~%-]*)\.(?<version>\d{1,16})\.\d+$/.exec(
    eventId,
  )?.groups;
  if (!parts) return undefined;
  const { process, project, version } = parts as { process: string; project: string; version: string };
  return { process, end: `#${project}#${version}`, version: Number(version) };
}
