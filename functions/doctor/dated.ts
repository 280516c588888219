import type { JsonObject } from '../basics/json.ts';
import type { Probed } from '../service/probe.ts';
import type { Asker } from './asker.ts';
import { type ListRead, readProjects, textOf } from './lists.ts';
import { projectKey } from './tasks.ts';
import { timeOf } from './times.ts';
import { updateField } from './update-field.ts';

/** Updates that are older than this show everywhere. */
export const SETTLED = 600_000;
const DAY = 24 * 60 * 60 * 1000;

/** A project with its update time. */
export interface Dated {
  readonly id: string;
  readonly record: JsonObject;
  readonly time: number;
}

/** The projects with update times, the latest first; none when projects have no such time. */
export async function datedProjects(asker: Asker, how: { again?: boolean } = {}): Promise<Dated[]> {
  return datedIn(asker, (await readProjects(asker, how)).items);
}

/** The same of projects that were read. */
export async function datedIn(asker: Asker, items: readonly JsonObject[]): Promise<Dated[]> {
  const { name } = await updateField(asker);
  const { property = 'id' } = await projectKey(asker);
  return items
    .flatMap(record => {
      const time = name === undefined ? undefined : timeOf(record[name]);
      return time === undefined ? [] : [{ id: textOf(record[property]), record, time }];
    })
    .sort((one, other) => other.time - one.time);
}

/** How often something is tried that an edit of others may spoil. */
export const MAX_TRIES = 3;

/** Whether a project is still there, and was not updated again. */
export function isUnchanged({ id, time }: Dated, now: readonly Dated[]): boolean {
  return now.some(each => each.id === id && each.time === time);
}

/** The projects updated after a time. */
export function updatedSince(asker: Asker, time: number, how: { again?: boolean } = {}): Promise<ListRead> {
  return readProjects(asker, { query: { updatedAfter: new Date(time).toISOString() }, ...how });
}

/** The identifiers of what was read. */
export async function idsIn(asker: Asker, { items }: ListRead): Promise<ReadonlySet<string>> {
  const { property = 'id' } = await projectKey(asker);
  return new Set(items.map(item => textOf(item[property])));
}

/** The service's time now, as far as answers show it. */
export async function serviceTime(asker: Asker): Promise<number> {
  const { answers } = await readProjects(asker);
  return asker.clock() + aheadOf(answers[0]);
}

function aheadOf(answer: Probed | undefined): number {
  const ahead = answer?.date === undefined ? 0 : answer.date - answer.at;
  return Math.abs(ahead) > DAY ? 0 : ahead;
}

/** A list that should be empty: projects that are updated later than tomorrow. */
export async function updatedAfterTomorrow(asker: Asker): Promise<ListRead> {
  const { answers } = await readProjects(asker);
  // Counted from the time of a remembered answer, so that the request is the same each time and is sent only
  // once.
  const now = (answers[0]?.at ?? 0) + aheadOf(answers[0]);
  return updatedSince(asker, now + DAY);
}
