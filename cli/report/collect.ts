import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { arch, platform, versions } from 'node:process';
import type { AnswerOf } from '../../functions/operations/protocol/answers.ts';
import { FAILED_QUEUES, FUNCTIONS } from '../../functions/operations/protocol/requests.ts';
import type { EndpointStatus } from '../../functions/operations/protocol/status.ts';
import { packageVersion } from '../../local/basics/package-file.ts';
import { UsageError } from '../../local/basics/usage-error.ts';
import { STORE_FILE } from '../../local/data/store-file.ts';
import type { Context } from '../context/context.ts';

/** How much of a list a report has. */
const MAX_LISTED = 20;
const MAX_FAILURES = 5;
/** Endpoints whose attempts and dead letters are read: two requests each. */
const MAX_EXAMINED = 50;
const MAX_ATTEMPTS = 100;
const LOGS_MS = 24 * 3_600_000;

interface Sources {
  /** The current folder. */
  readonly directory: string;
  /** The configuration file of the command line. */
  readonly config: string | undefined;
  readonly statusOf: () => Promise<AnswerOf<'status'>>;
}

interface Problem {
  readonly part: string;
  readonly reason: string;
}

/** Everything that a report is made of, in the form of `REPORT`, which leaves out what may not be in it. A part that
 *  cannot be read becomes a problem: a report is needed most when something is broken.
 *  @throws UsageError if there is neither run, store nor stack */
export async function collect(
  context: Context,
  { directory, config, statusOf }: Sources,
): Promise<{ readonly problems: readonly Problem[]; readonly [part: string]: unknown }> {
  const { clock, place } = context;
  const problems: Problem[] = [];
  const part = async <Value>(
    name: string,
    read: () => Value | Promise<Value>,
  ): Promise<Value | undefined> => {
    try {
      return await read();
    } catch (error) {
      // A configuration that is invalid is part of the report, unless it was named by mistake.
      if (error instanceof UsageError && (name !== 'configuration' || config !== undefined)) throw error;
      if (context.interrupted.aborted) throw error;
      problems.push({ part: name, reason: String((error as Error).message) });
      return undefined;
    }
  };
  const status = await part('status', statusOf);
  const local = place.stack === undefined ? await dataDirectory(context) : undefined;
  const facts = local === undefined ? undefined : await import('../../local/data/store-facts.ts');
  return {
    createdAt: iso(clock()),
    versions: { changewire: packageVersion(), node: versions.node, sqlite: versions.sqlite, platform, arch },
    configuration: await part('configuration', () => configurationOf(directory, config, place.stack)),
    ...(status && {
      run: place.stack === undefined ? { ...status, deployment: undefined } : status,
      processes: status.processes,
      endpoints: await part('endpoints', () => examined(context, status.endpoints)),
    }),
    ...(local !== undefined &&
      facts && {
        store: await part('store', () => facts.storeFacts(local)),
        rejected: await part('rejected', () => lastOf(facts.rejectedReasons(local))),
      }),
    ...(place.stack !== undefined && {
      logs: await part('logs', () => logsOf(context)),
      failedMessages: await part('failed messages', () => failedMessagesOf(context)),
    }),
    problems,
  };
}

const iso = (at: number): string => new Date(at).toISOString();

const lastOf = (reasons: readonly string[]) => ({ count: reasons.length, last: reasons.slice(-MAX_LISTED) });

/** The data directory with a store; undefined for a run in memory. If it cannot be opened, the one with the file. */
async function dataDirectory({ connect, place }: Context): Promise<string | undefined> {
  const connection = await connect().catch(() => undefined);
  const { dataPlaces } = await import('../connect/data-directory.ts');
  const found = connection
    ? connection.directory
    : dataPlaces(place.data).find(({ hasStore }) => hasStore)?.directory;
  return found !== undefined && existsSync(join(found, STORE_FILE)) ? found : undefined;
}

/** The configuration at hand: the file that was named, or that of the current folder. */
async function configurationOf(
  directory: string,
  named: string | undefined,
  stack: string | undefined,
): Promise<object | undefined> {
  const { CONFIG_FILE, readConfigFile, readConfigsFile } = await import(
    '../../local/settings/config-file.ts'
  );
  const usual = [CONFIG_FILE, ...(stack === undefined ? [] : ['cdk.json'])].map(name =>
    join(directory, name),
  );
  const file = named ?? usual.find(path => existsSync(path));
  if (file === undefined) return undefined;
  if (stack === undefined) return readConfigFile(file);
  return readConfigsFile(file).find(({ stackName }) => stackName === stack);
}

async function examined(context: Context, endpoints: readonly EndpointStatus[]): Promise<object[]> {
  const all: object[] = [];
  for (const [index, endpoint] of endpoints.entries())
    all.push(index < MAX_EXAMINED ? { ...endpoint, ...(await historyOf(context, endpoint.name)) } : endpoint);
  return all;
}

async function historyOf({ ask }: Context, endpoint: string): Promise<object> {
  const { attempts } = await ask({ operation: 'attempts', endpoint, limit: MAX_ATTEMPTS });
  const { deadLetters } = await ask({ operation: 'dead-letters', endpoint, limit: MAX_LISTED });
  const took = attempts.map(({ took }) => took).toSorted((one, other) => one - other);
  const tookAt = (share: number) => took[Math.ceil(share * took.length) - 1];
  const failed = attempts.filter(({ failure }) => failure !== undefined);
  return {
    attempts: {
      ...{ count: attempts.length, failed: failed.length, lastFailures: failed.slice(0, MAX_FAILURES) },
      ...(took.length > 0 && { tookP50: tookAt(0.5), tookP95: tookAt(0.95) }),
    },
    deadLetters,
  };
}

async function logsOf({ ask, clock }: Context): Promise<object[]> {
  const since = iso(clock() - LOGS_MS);
  const all: object[] = [];
  for (const name of FUNCTIONS) {
    const { entries } = await ask({ operation: 'logs', function: name, since, limit: 100 });
    const last = entries.slice(-MAX_LISTED);
    all.push({ function: name, entries: last.map(entry => ({ ...entry, code: entry.details.code })) });
  }
  return all;
}

async function failedMessagesOf({ ask }: Context): Promise<object[]> {
  const all: object[] = [];
  for (const queue of FAILED_QUEUES) {
    const { messages, first } = await ask({ operation: 'failed-messages', queue });
    all.push({ queue, messages, reasons: first.flatMap(({ reason }) => reason ?? []) });
  }
  return all;
}
