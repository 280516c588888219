import { nearest } from '../../functions/basics/nearest.ts';
import { endpointFilter, MAX_TEXT_LENGTH, neverMatching } from '../../functions/config/filter.ts';
import { shown } from '../../functions/config/problems.ts';
import { CONDITIONS, type EndpointFilter, FILTER_KEYS } from '../../functions/model/filter.ts';
import { UsageError } from '../basics/usage-error.ts';

/** Each has a list of texts; conditions on values are options of their own. */
const LISTS: readonly string[] = FILTER_KEYS.filter(key => key !== 'values');
const KEYS = [...LISTS, ...CONDITIONS.map(condition => `${condition}:FIELD`)];
const EXAMPLE = '--filter events=task.updated,task.created --filter to:status=Done';

type Read = Record<string, string[]>;

/** The filter of an endpoint from its `--filter key=value,value` options. Several values of one key mean:
 *  any of them. Conditions on one field (`from:status=Open`, `to:status=Done`) become one condition.
 *  @throws UsageError that names the key, and what is allowed */
export function filterOption(options: readonly string[]): EndpointFilter {
  const lists: Read = {};
  const fields = new Map<string, Read>();
  for (const option of options) {
    const [, key = '', text = ''] = /^([^=]*)=(.*)$/s.exec(option) ?? [];
    if (key === '') throw new UsageError(`--filter takes key=value, such as ${EXAMPLE}.`);
    const values = text.split(',').map(value => value.trim());
    const [, condition = '', field = ''] = /^([a-z]+):(.+)$/s.exec(key) ?? [];
    if (CONDITIONS.some(each => each === condition)) {
      const asked = fields.get(field) ?? {};
      fields.set(field, add(asked, condition, values));
    } else if (LISTS.includes(key)) add(lists, key, values);
    else throw unknown(key);
  }
  const conditions = [...fields].map(([field, asked]) => ({ field, ...asked }));
  const read = { ...lists, ...(conditions.length > 0 && { values: conditions }) };
  const parsed = endpointFilter.safeParse(read);
  if (parsed.success) return matching(parsed.data);
  const [issue] = parsed.error.issues;
  const [key, index, condition] = issue?.path ?? [];
  const asked = key === 'values' ? [...fields][Number(index)] : undefined;
  const [name, value] = asked
    ? tooLong(asked, String(condition))
    : [String(key), lists[String(key)]?.[Number(index)]];
  throw new UsageError(`--filter ${name}=: found ${shown(value)}; allowed: ${issue?.message}.`);
}

/** Which text of a condition is too long, the only reason for which one is refused: the field's name, or
 *  one of the values. */
function tooLong([field, asked]: [string, Read], key: string): [name: string, value: string | undefined] {
  if (key === 'field') return [`${Object.keys(asked)[0]}:FIELD`, field];
  return [`${key}:${field}`, asked[key]?.find(({ length }) => length > MAX_TEXT_LENGTH)];
}

/** @throws UsageError for a filter that no event ever fits */
function matching(filter: EndpointFilter): EndpointFilter {
  const [problem] = neverMatching(filter, []);
  if (problem !== undefined) throw new UsageError(`--filter: ${problem.replaceAll('changewire.', '')}.`);
  return filter;
}

function add(read: Read, key: string, values: readonly string[]): Read {
  read[key] = [...(read[key] ?? []), ...values];
  return read;
}

function unknown(key: string): UsageError {
  const meant = nearest(key, KEYS);
  const hint = meant === undefined ? '' : ` Did you mean ${meant}?`;
  return new UsageError(`--filter knows ${KEYS.join(', ')}, and no ${shown(key)}.${hint}`);
}
