import type { Clock } from '../../functions/basics/clock.ts';
import type { Mode, ProcessKey } from '../../functions/basics/process.ts';
import type { WorkspaceSettings } from '../../functions/config/workspace.ts';
import { ServiceError, ServiceStatusError, TokenError } from '../../functions/service/errors.ts';
import { failure } from '../basics/failure.ts';
import { Outage } from '../basics/outage.ts';
import type { Output } from '../basics/output.ts';

/** Reports how passes fail: for each process and mode the first failure, then a line a minute at most, and the end. */
export class PassFailures {
  readonly #output: Pick<Output, 'say' | 'warn'>;
  readonly #workspaces: readonly WorkspaceSettings[];
  readonly #clock: Clock;
  readonly #outages = new Map<string, Outage>();

  constructor(output: Pick<Output, 'say' | 'warn'>, workspaces: readonly WorkspaceSettings[], clock: Clock) {
    this.#output = output;
    this.#workspaces = workspaces;
    this.#clock = clock;
  }

  failed(job: AboutPass, error: unknown): void {
    const outage = this.#outageOf(job);
    const line = outage.failed(`${failure(error)}. It is tried again.`);
    if (line === undefined) return;
    const request = requestDetails(error, job.process, this.#workspaces);
    this.#output.warn(`${nameOf(job)}: ${line}`, {
      ...passDetails(job),
      ...{ failures: outage.failures, ...request },
    });
  }

  completed(job: AboutPass): void {
    const outage = this.#outageOf(job);
    const { failures } = outage;
    const line = outage.ended('works again');
    if (line !== undefined) this.#output.say(`${nameOf(job)}: ${line}`, { ...passDetails(job), failures });
  }

  #outageOf({ process, mode }: AboutPass): Outage {
    const key = JSON.stringify([process.workspace, process.processId, mode]);
    const outage = this.#outages.get(key) ?? new Outage(this.#clock);
    this.#outages.set(key, outage);
    return outage;
  }
}

interface AboutPass {
  readonly process: ProcessKey;
  readonly mode: Mode;
}

const nameOf = ({ process, mode }: AboutPass): string => `${mode} of ${process.processId}`;

/** What a line about a pass has for programs. */
export function passDetails({ process, mode }: AboutPass): object {
  return { workspace: process.workspace, process: process.processId, mode };
}

/** The HTTP status and the address of the request that failed, as far as they are known. The query is left out: a cursor may be long, and
 *  what stands in it may be personal. */
export function requestDetails(
  error: unknown,
  { workspace: name }: ProcessKey,
  workspaces: readonly WorkspaceSettings[],
): object {
  const workspace = workspaces.find(each => each.name === name);
  if (!workspace || !(error instanceof ServiceError)) return {};
  const answer = error instanceof TokenError ? error.cause : error;
  const { method, path } = /^(?<method>\S+) (?<path>\/[^?]*)/.exec(error.request)?.groups ?? {};
  // Only a token is asked for by POST.
  const { origin } = new URL(method === 'POST' ? workspace.authUrl : workspace.baseUrl);
  return {
    ...(answer instanceof ServiceStatusError && { status: answer.status }),
    ...(path !== undefined && { url: `${origin}${path}` }),
  };
}
