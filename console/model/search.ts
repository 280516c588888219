import type { EventType } from '../../functions/model/event.ts';
import type { RequestOf } from '../../functions/operations/protocol/requests.ts';
import { actorName, type ChangeLine } from './change-line.ts';
import { type Committed, dataOf } from './committed.ts';
import { EVENT_TYPES } from './event-types.ts';
import { fieldLabel } from './field-name.ts';
import { type LineFilter, lineMatcher, processOf } from './line-filter.ts';

export type SearchQuery = Omit<RequestOf<'events'>, 'operation' | 'cursor' | 'limit'>;

/** The limit of the operation. */
const MAX_SEARCH = 256;

/** The query to the journal. Parts of the names of a field and an actor are additional words; `hasNames` then drops
 *  their other matches. */
export function queryOf(filter: LineFilter): SearchQuery {
  const { words, type, field, person, since, until } = filter;
  // A suggested name may be cut, with an ellipsis.
  const names = [field, person].map(name => name.replace(/…$/, ''));
  const search = [words, ...names].join(' ').trim().slice(0, MAX_SEARCH);
  const types: readonly EventType[] = EVENT_TYPES.find(({ kind }) => kind === type)?.types ?? [
    type as EventType,
  ];
  return {
    ...(search !== '' && { search }),
    ...(type !== '' && { types: [...types] }),
    ...processOf(filter),
    ...(since !== '' && { since }),
    ...(until !== '' && { until }),
  };
}

/** Whether an event changed a field, and has an actor, whose names contain the filter's. */
export function hasNames(committed: Committed, { field, person }: LineFilter): boolean {
  const [wanted, actor] = [field, person].map(text => text.trim().toLowerCase()) as [string, string];
  const { changes = [], actors = [] } = dataOf(committed);
  if (actor !== '' && !actors.some(one => actorName(one).toLowerCase().includes(actor))) return false;
  if (wanted === '') return true;
  return changes.some(change => {
    const name = 'name' in change ? change.name : change.field;
    const kind = 'kind' in change && change.kind ? change.kind : 'builtin';
    return [change.field, name, fieldLabel({ name, kind })].some(text => text.toLowerCase().includes(wanted));
  });
}

/** The matching lines of the live view and of the journal, newest first. */
export function matching(
  live: readonly ChangeLine[],
  found: readonly ChangeLine[],
  filter: LineFilter,
): readonly ChangeLine[] {
  const lines = live.filter(lineMatcher(filter));
  const ids = new Set(lines.map(({ id }) => id));
  const others = found.filter(({ id }) => !ids.has(id));
  return others.length === 0 ? lines : [...lines, ...others].toSorted((one, other) => other.at - one.at);
}
