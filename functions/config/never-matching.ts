import type { EventType } from '../model/event.ts';
import type { FilterValue } from '../model/value-filter.ts';
import { type EndpointFilter, EVENT_TYPES, mayCarry } from './filter.ts';
import { pathText } from './problems.ts';

type Path = readonly PropertyKey[];
type Condition = NonNullable<EndpointFilter['values']>[number];

/** The parts of an endpoint's filter that no event can ever match, whatever is configured; one line each. */
export function neverMatching(filter: EndpointFilter, path: Path): string[] {
  const { events, projects, fields, values, actors } = filter;
  const types = { types: events, path: [...path, 'events'] };
  return [
    ...typesWithout(types, 'projectId', { asked: projects, path: [...path, 'projects'] }),
    ...typesWithout(types, 'changedFields', { asked: fields, path: [...path, 'fields'] }),
    ...typesWithout(types, 'changedFields', { asked: values, path: [...path, 'values'] }),
    ...typesWithout(types, 'actors', { asked: actors, path: [...path, 'actors'] }),
    ...(values ?? []).flatMap((condition, index) => [
      ...unchanged(condition, [...path, 'values', index]),
      ...madeOf(condition, events, [...path, 'values', index]),
    ]),
  ];
}

/** Event types that the filter asks for by name, but that its other keys exclude. */
export function typesWithout(
  { types = [], path }: { types: readonly EventType[] | undefined; path: Path },
  part: 'projectId' | 'changedFields' | 'actors',
  what: { asked: unknown; path: Path },
): string[] {
  if (what.asked === undefined) return [];
  const fitting = EVENT_TYPES.filter(type => mayCarry(type, part));
  return types.flatMap((type, index) =>
    mayCarry(type, part)
      ? []
      : [
          `${pathText([...path, index])}: found "${type}", which never has any of ${pathText(what.path)}; ` +
            `allowed beside that: ${fitting.join(', ')}`,
        ],
  );
}

/** Conditions whose `from` and `to` are the same value: a change always has two. */
function unchanged({ from, to }: Condition, place: Path): string[] {
  if (!from || !to || !isOne(from) || !isOne(to) || String(from[0]) !== String(to[0])) return [];
  return [`${pathText(place)}: found the same value in "from" and "to", and no change is that; allowed: two`];
}

/** Conditions on the value before, in a filter for created records alone: they had none before. */
function madeOf({ from, removed }: Condition, events: EndpointFilter['events'], place: Path): string[] {
  if (!events?.every(type => type.endsWith('.created'))) return [];
  const asked = from && !from.includes('') ? 'from' : removed && 'removed';
  if (asked === undefined) return [];
  return [
    `${pathText([...place, asked])}: found a value that what is created would have had before, and ` +
      `${pathText([...place.slice(0, -2), 'events'])} names no other events; allowed: add "project.updated" or "task.updated" there`,
  ];
}

function isOne(values: readonly FilterValue[]): boolean {
  return values.length === 1;
}
