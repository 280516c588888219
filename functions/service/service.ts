import type { JsonObject } from '../basics/json.ts';
import type { FieldDefinition } from '../model/field-definition.ts';
import type { ServiceAnswerError } from './errors.ts';

/** A project, task or user as the service sent it, with its identifier resolved (service-api.md §2.1, §2.4). */
export interface ServiceRecord {
  /** The identifier as text; numbers become strings. */
  readonly id: string;
  /** The whole record, as sent. */
  readonly fields: JsonObject;
  /** Present when this record can't be used, though all others of its list can: its identifier or its
   *  contents can't be kept. */
  readonly flaw?: ServiceAnswerError;
}

/** One page of a list (service-api.md §2.2). */
export interface Page<Item> {
  /** Read from the answer when they are first asked for, which throws a ServiceAnswerError for anything but a
   *  record. */
  readonly items: readonly Item[];
  /** Stands for the answer's bytes and the way they are read: two pages with one digest have the same items
   *  and the same next cursor. */
  readonly digest: string;
  /** When the service answered, in ms since 1970: its `Date` header (whole seconds), else our clock. */
  readonly readAt: number;
  /** Whose clock `readAt` is. */
  readonly clock: 'service' | 'local';
  /** The `after` that asked for this page; undefined for the first page. */
  readonly after: string | undefined;
  /** True when more pages follow. */
  readonly hasNextPage: boolean;
}

/** The polled API, read only: what a pass needs of it. Lists are walked page by page, never collected here. */
export interface Service {
  /** Request #1. `updatedAfter` in ms since 1970; `after` continues after an earlier page. */
  projects(
    processId: string,
    how?: { updatedAfter?: number | undefined; after?: string | undefined },
  ): AsyncIterable<Page<ServiceRecord>>;
  /** Request #2. `isKnown`: true for the digest of a page that was the whole list when it was read before.
   *  Such a page is not even parsed, unless its items are asked for. `isAgain`: true for a list that could not be read
   *  before: others do not wait for it, and no answer ends it sooner. */
  tasks(
    processId: string,
    projectId: string,
    how?: { isKnown?: (digest: string) => boolean; isAgain?: boolean | undefined },
  ): AsyncIterable<Page<ServiceRecord>>;
  /** Request #3; `after` continues after an earlier page. */
  auditLog(processId: string, after?: string): AsyncIterable<Page<JsonObject>>;
  /** Request #4. Its tries end after `ms`, where that is sooner than the pass's deadline. */
  users(how?: { ms?: number }): AsyncIterable<Page<ServiceRecord>>;
  /** Request #5; `ms` as above. */
  user(userId: string, how?: { ms?: number }): Promise<ServiceRecord>;
  /** Request #7: the definitions of project fields. */
  coverpage(processId: string): Promise<FieldDefinition[]>;
  /** Request #6, archived fields included: the definitions of task fields. */
  taskCustomFields(processId: string): Promise<FieldDefinition[]>;
}

/** How many of a workspace's requests at once one run may make. */
export interface RequestShare {
  /** 0 when it has ended. */
  readonly count: number;
  /** To be awaited before each request. @throws when the share has ended */
  hold(): Promise<void>;
  begin(): void;
  end(): void;
}

/** One workspace's connection: its HTTP agent, token and limit of requests are shared by all passes. */
export interface ServiceConnection {
  /** The service for the passes of one run: retries end at `deadline` (ms since 1970 on our clock). All runs
   *  that use the connection make no more requests at once than their shares allow together. */
  open(run: { readonly deadline: number; readonly share?: RequestShare }): Service;
  /** Asks whether the service answers at all, with one small request about a process.
   *  @throws ServiceError when no answer comes within some seconds, or when it refuses the credentials, or
   *  asks to wait */
  probe(processId: string): Promise<void>;
  /** Closes every socket. */
  close(): Promise<void>;
}
