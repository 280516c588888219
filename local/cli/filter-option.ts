import { type EndpointFilter, endpointFilter } from '../../infra/config/filter.ts';
import { nearest } from '../../infra/config/nearest.ts';
import { shown } from '../../infra/config/shown.ts';
import { UsageError } from './usage-error.ts';

const KEYS = Object.keys(endpointFilter.shape) as (keyof EndpointFilter)[];
const EXAMPLE = '--filter events=task.updated,task.created --filter fields=dueDate';

/** The filter of an endpoint from its `--filter key=value,value` options; several values of one key: any of them.
 *  @throws UsageError that names the key, and what is allowed */
export function filterOption(options: readonly string[]): EndpointFilter {
  const read: Record<string, string[]> = {};
  for (const option of options) {
    const [, key = '', values = ''] = /^([^=]*)=(.*)$/s.exec(option) ?? [];
    if (key === '') throw new UsageError(`--filter takes key=value, such as ${EXAMPLE}.`);
    if (!KEYS.some(known => known === key)) {
      const meant = nearest(key, KEYS);
      const hint = meant === undefined ? '' : ` Did you mean ${meant}?`;
      throw new UsageError(`--filter knows ${KEYS.join(', ')}, and no ${shown(key)}.${hint}`);
    }
    read[key] = [...(read[key] ?? []), ...values.split(',').map(value => value.trim())];
  }
  const parsed = endpointFilter.safeParse(read);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const [key, index] = issue?.path ?? [];
  const value = typeof index === 'number' ? ` ${shown(read[String(key)]?.[index] ?? '')}` : '';
  throw new UsageError(`--filter ${String(key)}=: found${value || ' nothing'}; allowed: ${issue?.message}.`);
}
