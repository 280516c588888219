import { nearest } from '../basics/nearest.ts';
import type { FieldChange } from '../model/event.ts';
import { CONDITIONS, changesOf, type EndpointFilter, isField, matchesValues } from '../model/filter.ts';
import type { OperationsContext } from './context.ts';
import { searchJournal, WHOLE_JOURNAL } from './page.ts';
import { didYouMean, Refused } from './refused.ts';

/** More names are not listed in a message. */
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
  const names = unique(watched.map(({ workspace }) => workspace));
  const ids = unique(watched.map(({ processId }) => processId));
  const isApart = (id: string) =>
    workspaces?.every(name => names.includes(name)) &&
    !watched.some(({ workspace, processId }) => processId === id && workspaces.includes(workspace));
  const problems = [
    ...unknown('workspaces', 'no workspace of this name is watched', workspaces, names),
    ...unknown('processes', 'no process of this identifier is watched', processes, ids),
    ...(processes ?? []).flatMap((id, index) =>
      ids.includes(id) && isApart(id)
        ? [`filter.processes[${index}]: no workspace of this filter has this process.`]
        : [],
    ),
  ];
  if (problems.length > 0) throw new Refused(problems.join('\n'), { isUsage: true });
}

function unknown(key: string, problem: string, asked: readonly string[] = [], known: readonly string[] = []) {
  return asked.flatMap((value, index) => {
    if (known.includes(value)) return [];
    const more = known.length > MAX_LISTED ? `, ${known.length - MAX_LISTED} more` : '';
    const allowed = `; allowed: ${known.slice(0, MAX_LISTED).join(', ')}${more}.`;
    return [`filter.${key}[${index}]: ${problem}${didYouMeanInstead(value, known) ?? allowed}`];
  });
}

function didYouMeanInstead(typed: string, known: readonly string[]): string | undefined {
  return nearest(typed, known) === undefined ? undefined : `.${didYouMean(typed, known)}`;
}

/** A field or a value that a filter names, and whether a change was seen that has it. */
interface Named {
  readonly path: string;
  readonly problem: string;
  readonly typed: string;
  /** The field, for a field of a condition; `of`: that of a condition's value. */
  readonly field?: string;
  readonly of?: string;
  readonly isIn: (change: FieldChange) => boolean;
  /** What it may have meant, of a change. */
  readonly candidates: (change: FieldChange) => readonly unknown[];
  readonly meant: Set<string>;
}

/** Warns of each field and value of a filter that no change of the journal has: likely a typing mistake. Only warns, because the
 *  first change of a field may be still to come; and not at all before there is any change to compare with. */
export async function filterWarnings(
  context: Pick<OperationsContext, 'journal' | 'clock'>,
  filter: EndpointFilter | undefined,
): Promise<string[]> {
  const open = new Set(namesIn(filter ?? {}));
  if (open.size === 0) return [];
  let changes = 0;
  const isWhole = await searchJournal(context, WHOLE_JOURNAL, record => {
    const seen = record.events().flatMap(changesOf);
    changes += seen.length;
    for (const name of open) see(name, seen, open);
    return open.size === 0;
  });
  if (changes === 0) return [];
  const which = isWhole ? 'no change of the last 30 days' : `none of the last ${changes} changes`;
  // Of a field that is unknown, the values are unknown as well.
  const unknownFields = new Set([...open].flatMap(({ field }) => field ?? []));
  return [...open].flatMap(({ path, problem, typed, meant, of }) =>
    of !== undefined && unknownFields.has(of)
      ? []
      : [`${path}: ${which} ${problem}.${didYouMean(typed, [...meant])}`],
  );
}

function see(name: Named, changes: readonly FieldChange[], open: Set<Named>): void {
  if (changes.some(name.isIn)) open.delete(name);
  else
    for (const text of changes.flatMap(name.candidates)) if (typeof text === 'string') name.meant.add(text);
}

function namesIn({ fields = [], values = [] }: EndpointFilter): Named[] {
  const fieldAt = (typed: string, path: string): Named => ({
    ...{ path, typed, problem: 'is of a field of this name', meant: new Set() },
    isIn: change => isField(typed, change),
    candidates: ({ field, name }) => [field, name],
  });
  return [
    ...fields.map((field, index) => fieldAt(field, `filter.fields[${index}]`)),
    ...values.flatMap((wanted, at) => [
      { ...fieldAt(wanted.field, `filter.values[${at}].field`), field: wanted.field },
      ...CONDITIONS.flatMap(key =>
        (wanted[key] ?? []).flatMap((value, index): Named[] => {
          // Empty is a value that each field may have.
          if (value === '') return [];
          return [
            {
              ...{ path: `filter.values[${at}].${key}[${index}]`, typed: String(value), meant: new Set() },
              ...{ problem: 'has this value', of: wanted.field },
              isIn: change =>
                CONDITIONS.some(each => matchesValues({ field: wanted.field, [each]: [value] }, change)),
              candidates: change =>
                isField(wanted.field, change)
                  ? [change.from, change.to, ...(change.added ?? []), ...(change.removed ?? [])]
                  : [],
            },
          ];
        }),
      ),
    ]),
  ];
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values)];
}
