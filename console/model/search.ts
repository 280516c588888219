import type { EventType } from '../../functions/model/event.ts';
import type { RequestOf } from '../../functions/operations/protocol/requests.ts';
import type { ChangeLine } from './change-line.ts';
import { type Committed, dataOf } from './committed.ts';
import { EVENT_TYPES } from './event-types.ts';
import { fieldLabel } from './field-name.ts';
import { type LineFilter, lineMatcher } from './line-filter.ts';

export type SearchQuery = Omit<RequestOf<'events'>, 'operation' | 'cursor' | 'limit'>;

/** The limit of the operation. */
const MAX_SEARCH = 256;

/** The query to the journal. Part of a field's name is an additional word; `hasField` then drops its other matches. */
export function queryOf({ words, type, field, process, since, until }: LineFilter): SearchQuery {
  const search = [words, field].join(' ').trim().slice(0, MAX_SEARCH);
  const types: readonly EventType[] = EVENT_TYPES.find(({ kind }) => kind === type)?.types ?? [
    type as EventType,
  ];
  const [workspace = '', ...id] = process.split('/');
  return {
    ...(search !== '' && { search }),
    ...(type !== '' && { types: [...types] }),
    ...(process !== '' && { workspace, process: id.join('/') }),
    ...(since !== '' && { since }),
    ...(until !== '' && { until }),
  };
}

/** Whether an event changed a field whose name contains the filter's. */
export function hasField(committed: Committed, { field }: LineFilter): boolean {
  const wanted = field.trim().toLowerCase();
  if (wanted === '') return true;
  const { changes = [] } = dataOf(committed);
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
