import type { JsonObject } from '../basics/json.ts';
import type { Due } from './due.ts';

/** A project with its tasks, as read or as committed. */
export interface ProjectContent {
  readonly record: JsonObject;
  /** Tasks by identifier. */
  readonly tasks: ReadonlyMap<string, JsonObject>;
}

/** What we last committed of one project. Times are in ms since 1970, by the service's clock. */
export interface Snapshot {
  readonly version: number;
  readonly content: ProjectContent;
  /** When the listing that showed the project's record was read. */
  readonly recordReadAt: number;
  /** True when that time is by our clock, which may be wrong: the service sent no usable `Date`. */
  readonly untimed?: boolean;
  /** When its tasks were read. */
  readonly tasksReadAt: number;
  /** Absent where only our clock is known. */
  readonly readUntil?: ReadUntil | undefined;
  readonly digests?: Digests;
  /** Absent where no field was ever withheld. */
  readonly withheld?: Withheld | undefined;
  /** Absent where no rule applies to it, and in snapshots from before version 0.2.0. */
  readonly due?: Due | undefined;
  /** How many further items of the DynamoDB table hold the rest of its content. Only that store sets and
   *  reads it. */
  readonly parts?: number;
}

/** By the service's clock: what happened later is not in the record, or not in the tasks. */
export interface ReadUntil {
  readonly record: number;
  readonly tasks: number;
}

/** The list of withheld fields by which a snapshot was read. */
export interface Withheld {
  /** `withhold` of the configuration. */
  readonly names: readonly string[];
  /** Fields that were taken off the list, with the version of the last snapshot without them: events up to that
   *  version do not lead to their values. */
  readonly shown?: readonly (readonly [name: string, version: number])[];
}

/** Digests of the answers from which a snapshot's content was read. One is left out where the content is not
 *  exactly that answer, as with values that remain of an archived field: then equal bytes prove
 *  nothing. */
interface Digests {
  /** Of the record's bytes in the listing. */
  readonly record?: string | undefined;
  /** Of all pages of its tasks. */
  readonly tasks?: string | undefined;
  /** Of the content's meaning (see meaningOf): other bytes may have the same. */
  readonly meaning?: string | undefined;
}

/** A snapshot without its content. */
export interface SnapshotHead extends Omit<Snapshot, 'content' | 'parts' | 'readUntil' | 'withheld' | 'due'> {
  readonly projectId: string;
  /** Decodes the whole snapshot. Absent, or undefined, where the content was not read along with the head:
   *  then `load` reads it. */
  whole?(): Snapshot | undefined;
}

/** What is remembered, for 30 days, of a project that was deleted. A listing that was read before the
 *  deletion must not bring it back, and a project that is created again under the same id continues its
 *  version numbers. */
export interface Tombstone {
  /** The version of the commit that deleted the project. */
  readonly version: number;
  /** When the listing that lacked the project was read, in ms since 1970; `untimed` as in a snapshot. */
  readonly readAt: number;
  readonly untimed?: boolean;
  /** The update time of the project's last record, in ms since 1970, where it had one. */
  readonly updatedAt?: number | undefined;
}

/** The users of a workspace, as far as they are known. */
export interface KnownUsers {
  /** When their list was last asked for, by our clock, in ms since 1970. */
  readonly askedAt: number;
  /** Their ids, with their names where the service provides them. */
  readonly names: readonly (readonly [id: string, name?: string])[];
  /** Ids that were asked for since then, and are no user's. */
  readonly unknownIds?: readonly string[];
}
