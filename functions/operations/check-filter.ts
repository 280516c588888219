import { nearest } from '../basics/nearest.ts';
import type { ChangeEvent, FieldChange } from '../model/event.ts';
import { CONDITIONS, type EndpointFilter, matchesValues } from '../model/filter.ts';
import { changesOf, type FilterValue, isField } from '../model/filter-value.ts';
import { type FieldTests, kindsIn, NEEDS, unmet } from '../model/where.ts';
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
  readonly isIn: (event: ChangeEvent, changes: readonly FieldChange[]) => boolean;
  /** The texts of an event that it may have meant. */
  readonly candidates: (event: ChangeEvent, changes: readonly FieldChange[]) => readonly unknown[];
  /** In place of the problem: the warning, by these texts. */
  readonly warning?: (candidates: readonly string[]) => string | undefined;
}

/** Warns of each field and value of a filter that no change of the journal has: likely a typo; and of tests that need
 *  another kind of value than a field has. Only warns, because the first change of a field may still come; and not at
 *  all without any change to compare with. */
export async function filterWarnings(
  context: Pick<OperationsContext, 'journal' | 'clock'>,
  filter: EndpointFilter | undefined,
): Promise<string[]> {
  const found = await suspectsIn(context, filter);
  return found.map(({ path, problem, typed, meant }) => `${path}: ${problem}.${didYouMean(typed, meant)}`);
}

/** Why an event meets no condition on a field: as it was found, or that no change of the journal has the field. */
export async function whyUnmet(
  context: Pick<OperationsContext, 'journal' | 'clock'>,
  { where }: EndpointFilter,
  reason: string,
): Promise<string> {
  if (!/` is empty|does not show `/.test(reason)) return reason;
  const found = await suspectsIn(context, { where });
  const unknown = found.find(({ typed, isField }) => isField && reason.includes(`\`${typed}\``));
  if (!unknown) return reason;
  const hint = nearest(unknown.typed, unknown.meant);
  return `${unknown.problem}${hint === undefined ? '' : `; did you mean "${hint}"?`}`;
}

/** A name that is likely a typo. */
interface Suspect extends Pick<Named, 'path' | 'problem' | 'typed'> {
  /** The texts that it may have meant. */
  readonly meant: readonly string[];
  readonly isField: boolean;
}

async function suspectsIn(
  context: Pick<OperationsContext, 'journal' | 'clock'>,
  filter: EndpointFilter | undefined,
): Promise<readonly Suspect[]> {
  /** Not found yet, each with the texts that it may have meant. */
  const open = new Map(namesIn(filter ?? {}).map(named => [named, new Set<string>()]));
  if (open.size === 0) return [];
  let count = 0;
  const isWhole = await searchJournal(context, WHOLE_JOURNAL, record => {
    for (const event of record.events()) count += tryOn(event, open);
    return open.size === 0;
  });
  if (count === 0) return [];
  const which = isWhole ? 'no change in the journal' : `none of the last ${count} changes`;
  // Of a field that is unknown, the values are unknown as well.
  const fields = new Set([...open.keys()].filter(({ of }) => of === undefined).map(({ typed }) => typed));
  return [...open]
    .filter(([{ of }]) => of === undefined || !fields.has(of))
    .flatMap(([{ path, problem, typed, warning, of }, meant]) => {
      const isField = of === undefined;
      if (!warning) return { path, problem: `${which} ${problem}`, typed, meant: [...meant], isField };
      const text = warning([...meant]);
      return text === undefined ? [] : { path, problem: text, typed, meant: [], isField };
    });
}

/** Removes the names that an event has, and notes the texts that the others may have meant. @returns its changes */
function tryOn(event: ChangeEvent, open: Map<Named, Set<string>>): number {
  const changes = changesOf(event);
  for (const [named, meant] of open)
    if (named.isIn(event, changes)) open.delete(named);
    else for (const text of named.candidates(event, changes)) if (typeof text === 'string') meant.add(text);
  return changes.length;
}

function namesIn({ fields = [], values = [], where = [] }: EndpointFilter): Named[] {
  const fieldAt = (typed: string, path: string): Named => ({
    ...{ path, typed, problem: 'has a field with this name' },
    isIn: (_, changes) => changes.some(change => isField(typed, change)),
    candidates: (_, changes) => changes.flatMap(({ field, name }) => [field, name]),
  });
  const valueAt = (value: FilterValue, of: string, path: string): Named => ({
    ...{ path, typed: String(value), problem: 'has this value', of },
    isIn: (_, changes) =>
      changes.some(change => CONDITIONS.some(key => matchesValues({ field: of, [key]: [value] }, change))),
    candidates: (_, changes) => valuesOf(changes.filter(change => isField(of, change))),
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
    ...where.flatMap((group, at) =>
      Object.entries(group).flatMap(([field, tests]) => {
        // A single group may have been written without a list.
        const path = where.length === 1 ? 'filter.where' : `filter.where[${at}]`;
        const key = /^\w+$/.test(field) ? `.${field}` : `[${JSON.stringify(field)}]`;
        return [conditionAt(field, path), ...testsAt(tests, field, `${path}${key}`)];
      }),
    ),
  ];
}

function valuesOf(changes: readonly FieldChange[]): readonly unknown[] {
  return changes.flatMap(({ from, to, added = [], removed = [] }) => [from, to, ...added, ...removed]);
}

/** The field of a condition, which may have a value without a change. */
function conditionAt(field: string, path: string): Named {
  return {
    ...{ path, typed: field, problem: `has the field ${JSON.stringify(field)}` },
    isIn: event => kindsIn(field, event).length > 0,
    candidates: ({ data }, changes) => {
      const prefix = field.startsWith('project.') && !('task' in data) ? 'project.' : '';
      return changes.flatMap(change => [`${prefix}${change.field}`, `${prefix}${change.name}`]);
    },
  };
}

/** The values of a condition, and its tests that need a kind of value. */
function testsAt(tests: FieldTests, of: string, path: string): Named[] {
  const { in: values = [], not, became, moved, ...others } = tests;
  const kinds = [...Object.keys(others), ...(moved ? [moved] : [])].filter(test =>
    Object.hasOwn(NEEDS, test),
  );
  return [
    ...values.flatMap((value, index) => (value === '' ? [] : wordAt(value, of, `${path}.in[${index}]`))),
    ...kinds.map(test =>
      kindAt(test as keyof typeof NEEDS, of, `${path}.${test === moved ? 'moved' : test}`),
    ),
    ...(not ? testsAt(not, of, `${path}.not`) : []),
    ...(became ? testsAt(became, of, `${path}.became`) : []),
  ];
}

function wordAt(value: FilterValue, of: string, path: string): Named {
  return {
    ...{ path, typed: String(value), problem: 'has this value', of },
    isIn: (event, changes) =>
      unmet([{ [of]: { in: [value] } }], event) === undefined ||
      changes.some(change => isField(of, change) && matchesValues({ field: of, from: [value] }, change)),
    candidates: (_, changes) => valuesOf(changes.filter(change => isField(of, change))),
  };
}

function kindAt(test: keyof typeof NEEDS, of: string, path: string): Named {
  return {
    ...{ path, typed: of, problem: '', of },
    isIn: event => kindsIn(of, event).includes(`a ${NEEDS[test]}`),
    candidates: event => kindsIn(of, event),
    warning: ([kind]) => kind && `\`${of}\` is ${kind}; \`${test}\` needs a ${NEEDS[test]}`,
  };
}
