import type { FieldChange } from '../model/event.ts';
import { CONDITIONS, type EndpointFilter, matchesValues } from '../model/filter.ts';
import { changesOf, type FilterValue, isField } from '../model/filter-value.ts';
import type { OperationsContext } from './context.ts';
import { searchJournal, WHOLE_JOURNAL } from './page.ts';
import { didYouMean, wrongRequest } from './refused.ts';

const MAX_LISTED = 20;

/** Checks that the workspaces and processes of a filter are watched, as for an endpoint of the configuration.
 *  @throws Refused with a line for each that is not */
export async function checkWatched(
  context: Pick<OperationsContext, 'processes'>,
  { workspaces, processes }: EndpointFilter | undefined = {},
): Promise<void> {
  const watched = workspaces || processes ? await context.processes() : [];
  // A machine on which no run was started yet doesn't know its processes.
  if (watched.length === 0) return;
  const names = [...new Set(watched.map(({ workspace }) => workspace))];
  const ids = [...new Set(watched.map(({ processId }) => processId))];
  const isApart = (id: string) =>
    ids.includes(id) &&
    workspaces?.every(name => names.includes(name)) &&
    !watched.some(({ workspace, processId }) => processId === id && workspaces.includes(workspace));
  const problems = [
    ...unknown('workspaces', 'unknown workspace', workspaces, names),
    ...unknown('processes', 'unknown process', processes, ids),
    ...(processes ?? []).flatMap((id, index) =>
      isApart(id) ? [`filter.processes[${index}]: no workspace of this filter has this process.`] : [],
    ),
  ];
  if (problems.length > 0) throw wrongRequest(problems.join('\n'));
}

function unknown(key: string, problem: string, asked: readonly string[] = [], known: readonly string[] = []) {
  return asked.flatMap((value, index) => {
    if (known.includes(value)) return [];
    const more = known.length > MAX_LISTED ? `, ${known.length - MAX_LISTED} more` : '';
    const allowed = `; allowed: ${known.slice(0, MAX_LISTED).join(', ')}${more}.`;
    const hint = didYouMean(value, known);
    return [`filter.${key}[${index}]: ${problem}${hint === '' ? allowed : `.${hint}`}`];
  });
}

/** A field or a value that a filter names. */
interface Named {
  readonly path: string;
  readonly problem: string;
  readonly typed: string;
  /** Of a value: its field. */
  readonly of?: string;
  readonly isIn: (change: FieldChange) => boolean;
  /** The texts of a change that it may have meant. */
  readonly candidates: (change: FieldChange) => readonly unknown[];
}

/** Warns of each field and value of a filter that no change of the journal has: likely a typo. Only warns, because
 *  the first change of a field may still come; and not at all without any change to compare with. */
export async function filterWarnings(
  context: Pick<OperationsContext, 'journal' | 'clock'>,
  filter: EndpointFilter | undefined,
): Promise<string[]> {
  /** Not found yet, each with the texts that it may have meant. */
  const open = new Map(namesIn(filter ?? {}).map(named => [named, new Set<string>()]));
  if (open.size === 0) return [];
  let changes = 0;
  const isWhole = await searchJournal(context, WHOLE_JOURNAL, record => {
    const seen = record.events().flatMap(changesOf);
    changes += seen.length;
    for (const [named, meant] of open)
      if (seen.some(named.isIn)) open.delete(named);
      else for (const text of seen.flatMap(named.candidates)) if (typeof text === 'string') meant.add(text);
    return open.size === 0;
  });
  if (changes === 0) return [];
  const which = isWhole ? 'no change in the journal' : `none of the last ${changes} changes`;
  // Of a field that is unknown, the values are unknown as well.
  const fields = new Set([...open.keys()].filter(({ of }) => of === undefined).map(({ typed }) => typed));
  return [...open]
    .filter(([{ of }]) => of === undefined || !fields.has(of))
    .map(
      ([{ path, problem, typed }, meant]) => `${path}: ${which} ${problem}.${didYouMean(typed, [...meant])}`,
    );
}

function namesIn({ fields = [], values = [] }: EndpointFilter): Named[] {
  const fieldAt = (typed: string, path: string): Named => ({
    ...{ path, typed, problem: 'has a field with this name' },
    isIn: change => isField(typed, change),
    candidates: ({ field, name }) => [field, name],
  });
  const valueAt = (value: FilterValue, of: string, path: string): Named => ({
    ...{ path, typed: String(value), problem: 'has this value', of },
    isIn: change => CONDITIONS.some(key => matchesValues({ field: of, [key]: [value] }, change)),
    candidates: change =>
      isField(of, change) ? [change.from, change.to, ...(change.added ?? []), ...(change.removed ?? [])] : [],
  });
  return [
    ...fields.map((field, index) => fieldAt(field, `filter.fields[${index}]`)),
    ...values.flatMap((wanted, at) => [
      fieldAt(wanted.field, `filter.values[${at}].field`),
      ...CONDITIONS.flatMap(key =>
        (wanted[key] ?? []).flatMap((value, index) =>
          // Each field may be empty.
          value === '' ? [] : [valueAt(value, wanted.field, `filter.values[${at}].${key}[${index}]`)],
        ),
      ),
    ]),
  ];
}
