import type { EndpointRow } from '../../../functions/model/endpoint-row.ts';
import type { SentEvent } from '../../../functions/model/event.ts';
import type { OperationsContext } from '../../../functions/operations/context.ts';
import { Refused } from '../../../functions/operations/refused.ts';
import { cancelReplay, replay } from '../../../functions/operations/replay.ts';
import { cancelSnapshot, snapshot } from '../../../functions/operations/snapshot.ts';
import { AT, someEvents } from '../../kit/delivery/setting.ts';
import { Violation } from '../oracle/violation.ts';

/** A long operation, which ticks carry out. */
export type Job = 'replay' | 'snapshot';

/** What of an endpoint a party begins or cancels. `begin anew`: it cancels, then begins. */
export type JobParty = `${'begin' | 'cancel' | 'begin anew'} ${Job}`;

const DONE = { replay: 'replayed', snapshot: 'snapshotted' } as const;
const TO = 'crm';
const PROCESSES = ['onboarding', 'sales'].map(processId => ({ workspace: 'eu', processId }));
/** Each is a slice. */
const JOURNAL = someEvents(3, AT - 1_000);
const PROJECT = { projectId: 'p1', version: AT, recordReadAt: AT, tasksReadAt: AT };
/** Of each process: its start, its one record, and its end. */
const SNAPSHOT_EVENTS = 3;

/** The rows of jobs that were begun before. */
export const BEGUN: { readonly [Kind in Job]: Pick<EndpointRow, Kind> } = {
  replay: { replay: { id: 'before', since: 0, until: AT, added: 0, startedAt: AT } },
  snapshot: { snapshot: { id: 'before', processes: PROCESSES, added: 0, startedAt: AT } },
};

/** What jobs read, which is the same in any order: a journal, and two processes with one project each. */
export function sourcesOf(newId: string) {
  const whole = () => ({ ...PROJECT, content: { record: {}, tasks: new Map() } });
  return {
    journal: {
      read: async ({ position = '0' }: { position?: string | undefined }) => ({
        entries: [{ event: JOURNAL[Number(position)], at: AT }],
        position: Number(position) + 1 < JOURNAL.length ? `${Number(position) + 1}` : undefined,
      }),
    },
    snapshots: {
      readState: async () => ({ baselined: true }),
      async *heads(_: unknown, after?: string) {
        if (after === undefined) yield [{ ...PROJECT, whole }];
      },
    },
    states: { progress: async () => ({ baselined: true }) },
    processes: async () => PROCESSES,
    keep: { journal: AT },
    newId: () => newId,
  };
}

/** Whatever the operations answered is what they did; each job begins and ends once, and is carried out unless it is cancelled. */
export class JobsJudge {
  readonly #jobs = new Map<string, { kind: Job; by: string; end?: 'done' | 'cancelled' }>();
  readonly #cancelledBy = new Map<string, number>();
  readonly #sent = new Map<string, readonly [job: string, source: string]>();

  async operate(context: OperationsContext, run: string, party: JobParty): Promise<void> {
    const kind: Job = party.endsWith('replay') ? 'replay' : 'snapshot';
    if (!party.startsWith('begin ') || party.includes('anew')) {
      const { wasUnderWay, added } = (
        kind === 'replay'
          ? await cancelReplay(context, { operation: 'cancel-replay', to: TO })
          : await cancelSnapshot(context, { operation: 'cancel-snapshot', to: TO })
      ).answer;
      if (this.#cancelledBy.get(run) !== (wasUnderWay ? added : undefined))
        throw new Violation(
          11,
          `${run} answered ${wasUnderWay} with ${added}, but cancelled other deliveries`,
        );
    }
    if (party.startsWith('cancel')) return;
    const begun =
      kind === 'replay'
        ? replay(context, { operation: 'replay', to: TO, since: new Date(AT - 9_000).toISOString() })
        : snapshot(context, { operation: 'snapshot', to: TO });
    const answer = await begun.catch(error => error);
    const isRefused = answer instanceof Refused;
    if (answer instanceof Error && !isRefused) throw answer;
    if ([...this.#jobs.values()].some(({ by }) => by === run) === isRefused)
      throw new Violation(11, `${run} was ${isRefused ? '' : 'not '}refused, the row differs`);
  }

  /** @param isHeld whether the endpoint has an event, or will get it from a row */
  wrote(
    run: string,
    before: EndpointRow | undefined,
    after: EndpointRow | undefined,
    isHeld: (id: string) => boolean,
  ): void {
    if (!after) return;
    for (const kind of ['replay', 'snapshot'] as const) {
      const [was, is] = [before?.[kind], after[kind]];
      if (is && is.id !== was?.id) this.#begins(run, kind, is.id, was !== undefined);
      else if (is && was && is.added < was.added) throw new Violation(11, `${run} repeats a ${kind}`);
      else if (was && !is) this.#ends(run, was, after[DONE[kind]]?.id === was.id);
    }
    const { replayed } = after;
    if (!replayed || replayed.id === before?.replayed?.id) return;
    if (replayed.added !== JOURNAL.length || !JOURNAL.every(({ id }) => isHeld(id)))
      throw new Violation(11, `the replay ended with ${replayed.added} events, and not with all`);
  }

  #begins(run: string, kind: Job, id: string, isInstead: boolean): void {
    if (isInstead || this.#jobs.has(id)) throw new Violation(11, `${run} began ${kind} ${id} wrongly`);
    this.#jobs.set(id, { kind, by: run });
  }

  #ends(run: string, { id, added }: { readonly id: string; readonly added: number }, isDone: boolean): void {
    const job = this.#jobs.get(id);
    if (job) job.end = isDone ? 'done' : 'cancelled';
    if (!isDone) this.#cancelledBy.set(run, added);
  }

  /** @returns whether a job sent it */
  accepted({ id, type, source }: SentEvent): boolean {
    const [job] = [...this.#jobs].find(([name, { kind }]) => kind === 'snapshot' && id.includes(name)) ?? [];
    if (job === undefined) return JOURNAL.some(event => event.id === id);
    this.#sent.set(id, [job, source]);
    if (type === 'snapshot.completed' && this.#sentOf(job, source) < SNAPSHOT_EVENTS)
      throw new Violation(4, `${job} was completed before its records`);
    return true;
  }

  /** A job of which the endpoint lacks an event. */
  lacking(isAccepted: (id: string) => boolean): string | undefined {
    const [lacking] =
      [...this.#jobs].find(([name, { kind, end }]) => {
        if (end === 'cancelled') return false;
        return kind === 'replay'
          ? !JOURNAL.every(({ id }) => isAccepted(id))
          : this.#sentOf(name) < SNAPSHOT_EVENTS * PROCESSES.length;
      }) ?? [];
    return lacking;
  }

  get state(): unknown {
    return [[...this.#jobs], [...this.#cancelledBy], [...this.#sent]];
  }

  #sentOf(job: string, source?: string): number {
    const all = [...this.#sent.values()].filter(([of]) => of === job);
    return all.filter(([, from]) => source === undefined || from === source).length;
  }
}
