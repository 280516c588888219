/** Where a change record is, by the id of one of its events: its parts as the keys have them (`changeKey`). */
export interface ChangePlace {
  /** Encoded. */
  readonly process: string;
  /** What follows the time in its key. */
  readonly end: string;
  /** The time of its commit in ms since 1970, or later: versions are never behind it. */
  readonly version: number;
}

/** Undefined for what is no event's id. */
export function changePlaceOf(eventId: string): ChangePlace | undefined {
  const [, process, project, version] = /^([\w~%-]*)\.([\w~%-]*)\.(\d{1,16})\.\d+$/.exec(eventId) ?? [];
  if (process === undefined) return undefined;
  return { process, end: `#${project}#${version}`, version: Number(version) };
}
