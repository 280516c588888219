import { Agent, type Dispatcher } from 'undici';
import type { Clock, Random, Sleep } from '../basics/clock.ts';
import type { ProxyRoute } from '../basics/proxy.ts';
import { type Address, parseAddress } from './address.ts';

/** Something worth knowing about the service; each `code` is reported once per connection. */
export interface Notice {
  readonly code: string;
  readonly message: string;
  readonly [detail: string]: unknown;
}

/** The four lists of service-api.md §4.1. */
export type ListName = 'projects' | 'tasks' | 'auditLog' | 'users';

/** Which property identifies a record, where the usual names are wrong. */
export type Identifiers = { readonly [Kind in 'project' | 'task' | 'user']?: string | undefined };

/** One workspace on one instance (service-api.md §1, §5), and how to treat it. */
export interface ConnectOptions {
  readonly baseUrl: string;
  readonly authUrl: string;
  readonly audience: string;
  /** Read for each token request, so that rotated credentials are taken up. */
  readonly credentials: () => Promise<{ clientId: string; clientSecret: string }>;
  /** The most requests at once; 16 by default. How many of these the service bears is found by its answers. */
  readonly concurrency?: number;
  readonly proxy?: ProxyRoute | undefined;
  readonly identifiers?: Identifiers | undefined;
  /** Processes of whose records some properties are not kept (`withhold`). */
  readonly processes?: readonly { readonly id: string; readonly withhold?: readonly string[] | undefined }[];
  /** `first` of each list; 200 projects, 500 tasks, 100 audit log entries, 1,000 users by default. */
  readonly pageSize?: { readonly [List in ListName]?: number | undefined } | undefined;
  /** False: it is known that the service sends no `Date`, and no notice reports it. */
  readonly dateHeader?: boolean | undefined;
  /** Of one request, body included, in ms; 30,000 by default. */
  readonly requestTimeout?: number;
  /** 16 MiB by default. */
  readonly maxBodyBytes?: number;
  /** Of all pages of one list together, as JSON; 128 MiB of projects and 32 MiB of tasks by default. The
   *  other lists are not buffered, and have no limit by default. */
  readonly maxListBytes?: { readonly [List in ListName]?: number };
  /** Tries of one request; 5 by default. */
  readonly maxAttempts?: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly sleep: Sleep;
  /** Opens what the requests go through; undici's agent by default. */
  readonly openAgent?: (options: Agent.Options) => Dispatcher;
  /** Called for each HTTP request that was made, the token's included. `path` has the query; `ms`: how long it took. */
  readonly onRequest?: (info: {
    readonly method: string;
    readonly path: string;
    /** Undefined when no answer came. */
    readonly status: number | undefined;
    /** 1 for the first try. */
    readonly attempt: number;
    readonly ms: number;
  }) => void;
  readonly onNotice?: (notice: Notice) => void;
}

/** The options with every default filled in. */
interface Settings
  extends Required<
    Omit<ConnectOptions, 'baseUrl' | 'authUrl' | 'identifiers' | 'pageSize' | 'maxListBytes'>
  > {
  readonly base: Address;
  readonly auth: Address;
  readonly identifiers: Identifiers;
  readonly pageSize: { readonly [List in ListName]: number };
  readonly maxListBytes: { readonly [List in ListName]: number };
}

/** What a function of 512 MiB can hold of a listing (docs/performance.md). The tasks of one project may be
 *  more than that, where it is worked on alone or has more memory. */
const LIST_BYTES = {
  projects: 128 * 2 ** 20,
  tasks: 32 * 2 ** 20,
  auditLog: Number.MAX_SAFE_INTEGER,
  users: Number.MAX_SAFE_INTEGER,
};

/** Checks the options and fills in the defaults. Throws a TypeError that names the option. */
export function readOptions(options: ConnectOptions): Settings {
  const { baseUrl, authUrl, identifiers = {}, pageSize = {}, maxListBytes = {}, ...rest } = options;
  const { concurrency = 16, requestTimeout = 30_000, maxBodyBytes = 16 * 2 ** 20, maxAttempts = 5 } = rest;
  const { projects = 200, tasks = 500, auditLog = 100, users = 1000 } = pageSize;
  const counts = { concurrency, requestTimeout, maxBodyBytes, maxAttempts };
  const sizes = { projects, tasks, auditLog, users };
  const listBytes = { ...LIST_BYTES, ...maxListBytes };
  for (const [name, value] of Object.entries(counts)) checkCount(name, value);
  for (const [name, value] of Object.entries(sizes)) checkCount(`pageSize.${name}`, value);
  for (const [name, value] of Object.entries(listBytes)) checkCount(`maxListBytes.${name}`, value);
  return {
    dateHeader: undefined,
    proxy: undefined,
    processes: [],
    openAgent: agentOptions => new Agent(agentOptions),
    onRequest: () => {},
    onNotice: () => {},
    ...rest,
    ...counts,
    identifiers,
    base: parseAddress('baseUrl', baseUrl),
    auth: parseAddress('authUrl', authUrl),
    pageSize: sizes,
    maxListBytes: listBytes,
  };
}

function checkCount(name: string, value: number): void {
  if (!Number.isSafeInteger(value) || value < 1) {
    throw new TypeError(`${name}: expected a whole number of at least 1, found ${value}`);
  }
}
