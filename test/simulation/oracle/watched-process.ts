import type { DynamoDBRecord } from 'aws-lambda';
import type { Coverage } from '../faults.ts';
import { datedIn, isTimed } from '../plan/clocks.ts';
import type { Plan } from '../plan.ts';
import { isOf } from '../port-calls.ts';
import type { ServiceSide } from '../service-side.ts';
import { PROCESS } from '../shared.ts';
import { ActorsOracle } from './actors.ts';
import { CommitsOracle } from './commits.ts';
import { DueOracle, rulesOf } from './due.ts';
import { EntriesOracle } from './entries.ts';
import type { History } from './history.ts';

/** One process, with what judges it: each is judged as if it were alone. */
export class WatchedProcess {
  readonly id: string;
  readonly history: History;
  readonly commits: CommitsOracle;
  readonly entries: EntriesOracle;
  readonly due: DueOracle;
  readonly #actors: ActorsOracle;

  constructor(id: string, plan: Plan, service: ServiceSide, coverage: Coverage) {
    const { backend, histories, shifted, restless } = service;
    this.id = id;
    this.history = histories.get(id) as History;
    this.commits = new CommitsOracle(this.history, coverage, isTimed(plan), {
      hidden: id === PROCESS ? restless.ever : new Set(),
      shifted: shifted.get(id) as Set<string>,
    });
    const { snapshots } = this.commits;
    this.due = new DueOracle(rulesOf(plan), coverage);
    this.#actors = new ActorsOracle(this.history, backend, id, coverage, datedIn(plan));
    this.entries = new EntriesOracle(
      { service: backend, processId: id, isTold: plan.audit, snapshots },
      coverage,
    );
  }

  /** A run was answered with a page of the audit log. */
  readLog(run: string): void {
    this.#actors.readLog(run);
    this.entries.readLog(run);
  }

  /** The users that the process knows, from now on. */
  knowsUsers(ids: readonly string[]): void {
    this.#actors.knowsUsers(ids);
  }

  /** A commit of a project was too large: the next one is a part of it. */
  tooLarge(projectId: string): void {
    this.#actors.tooLarge(projectId);
  }

  /** Told of the records of one write, whatever they are of, and which run sent it. */
  wrote(records: readonly DynamoDBRecord[], run: string | undefined): void {
    const own = this.#own(records);
    if (own.length === 0) return;
    const told = this.commits.events.length;
    const isSilent = this.commits.told === undefined;
    this.commits.wrote(own);
    const events = this.commits.events.slice(told);
    this.due.wrote(own, events, isSilent);
    this.#actors.wrote(own, events, run);
    this.entries.wrote(own, events, run);
  }

  /** Told of the items of a table that was restored, as records; `told`: how many events it knows. */
  restored(records: readonly DynamoDBRecord[], told: number, isInPlace: boolean): void {
    const own = this.#own(records);
    this.commits.restored(own, told);
    this.due.restored(own);
    this.#actors.restored(own);
    this.entries.restored(own, isInPlace);
  }

  #own(records: readonly DynamoDBRecord[]): readonly DynamoDBRecord[] {
    return records.filter(({ dynamodb }) => isOf(this.id, dynamodb?.Keys ?? {}));
  }
}
