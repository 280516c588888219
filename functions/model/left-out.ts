import type { ChangeEvent } from './event.ts';
import { actorsOf, type EndpointFilter, leftOutBy } from './filter.ts';
import { unmet } from './where.ts';

/** Why a filter excludes an event, in words that follow "because"; undefined when it selects the event. */
export function whyLeftOut(filter: EndpointFilter, event: ChangeEvent): string | undefined {
  const key = leftOutBy(filter, event);
  if (key === 'where') return unmet(filter.where ?? [], event);
  return key && REASONS[key](event);
}

const REASONS: Readonly<Record<Exclude<keyof EndpointFilter, 'where'>, (event: ChangeEvent) => string>> = {
  events: ({ type }) => `its type is ${type}`,
  workspaces: ({ source }) => `its workspace is ${source.split('/')[2]}`,
  processes: ({ data }) => `its process is ${data.process.id}`,
  projects: ({ data }) => {
    if (!('project' in data)) return 'it is of no project';
    const { id, name = id } = data.project as { readonly id: string; readonly name?: string };
    return `its project is ${name}`;
  },
  fields: () => 'none of the fields changed',
  values: () => 'no field changed between these values',
  actors: event => {
    const names = actorsOf(event).map(({ id, name }) => name ?? id);
    return names.length === 0 ? 'the users who made it are unknown' : `it was made by ${names.join(', ')}`;
  },
  exceptActors: () => 'only excluded users made it',
};
