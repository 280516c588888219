import type { ChangeEvent } from '../../functions/model/event.ts';
import { type EndpointFilter, leftOutBy } from '../../functions/model/filter.ts';
import { unmet } from '../../functions/model/where.ts';
import { type ChangeLine, changeLine } from './change-line.ts';
import { type Committed, dataOf, workspaceOf } from './committed.ts';

/** A past event. */
export interface Past {
  readonly committed: Committed;
  readonly line: ChangeLine;
}

export function pastOf(committed: Committed): Past {
  return { committed, line: changeLine(committed) };
}

/** A past event that a filter excludes. */
export interface Excluded extends Past {
  readonly reason: string;
}

/** The events that a filter selects, and the others with the first reason for each, in their order. */
export function tried(
  filter: EndpointFilter | undefined,
  past: readonly Past[],
): { readonly matching: readonly Past[]; readonly excluded: readonly Excluded[] } {
  const matching: Past[] = [];
  const excluded: Excluded[] = [];
  for (const one of past) {
    const reason = filter && reasonFor(filter, one.committed);
    if (reason === undefined) matching.push(one);
    else excluded.push({ ...one, reason });
  }
  return { matching, excluded };
}

/** Why a filter excludes an event. One of another version may lack the fields of the filter. */
function reasonFor(filter: EndpointFilter, committed: Committed): string | undefined {
  const event = committed.event as unknown as ChangeEvent;
  try {
    const key = leftOutBy(filter, event);
    if (key === 'where') return unmet(filter.where ?? [], event);
    return key && REASONS[key](committed);
  } catch {
    return 'the event is of another version';
  }
}

const REASONS: Readonly<Record<Exclude<keyof EndpointFilter, 'where'>, (committed: Committed) => string>> = {
  events: ({ event }) => `its type is ${event.type}`,
  workspaces: committed => `its workspace is ${workspaceOf(committed)}`,
  processes: committed => `its process is ${dataOf(committed).process?.id ?? 'unknown'}`,
  projects: committed => {
    const { project } = dataOf(committed);
    return project ? `its project is ${project.name ?? project.id}` : 'it is of no project';
  },
  fields: () => 'none of the fields changed',
  values: () => 'no field changed between these values',
  actors: committed => {
    const { actors = [] } = dataOf(committed);
    return actors.length === 0
      ? 'the users who made it are unknown'
      : `it was made by ${actors.map(({ id, name }) => name ?? id).join(', ')}`;
  },
  exceptActors: () => 'only excluded users made it',
};
