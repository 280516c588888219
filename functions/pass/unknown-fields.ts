import { hash } from 'node:crypto';
import { nearest } from '../basics/nearest.ts';
import type { ProcessKey } from '../basics/process.ts';
import { withheldProperties } from '../basics/property-names.ts';
import type { Rules } from '../changes/compare-project.ts';
import type { EndpointSettings } from '../model/endpoint.ts';
import type { Definitions, FieldEntity } from '../model/field-definition.ts';
import type { Conditions } from '../model/where.ts';
import type { PassContext } from './context/context.ts';

/** A field that the configuration names. */
interface FieldName {
  /** As it was written. */
  readonly typed: string;
  readonly place: string;
  /** The records that may have it. */
  readonly of: readonly FieldEntity[];
  /** Whether other processes may have it as well: then only a likely typo is logged. */
  readonly isShared: boolean;
}

type Known = Readonly<Record<FieldEntity, Set<string>>>;

const CODE = 'fields.unknown';
/** How many projects are searched for a field. */
const MAX_PROJECTS = 1_000;
const PROJECT = 'project.';

/** Logs fields of rules and of endpoints' filters that a process does not have, likely typos: by its definitions, and
 *  by the records of some projects, because built-in fields have no definition. The names are checked once, after the
 *  baseline or after they were edited. */
export async function checkFieldNames(
  context: PassContext,
  { projectFields, taskFields }: Rules,
): Promise<void> {
  const { process, reports } = context;
  const known = { project: propertiesIn(projectFields), task: propertiesIn(taskFields) };
  const names = namesIn(context).filter(name => !isKnown(name, known));
  const key = hash('sha256', JSON.stringify(names)).slice(0, 12);
  if (names.length === 0 || reports.isChecked(CODE, key)) return;
  const isFound = () => names.every(name => isKnown(name, known));
  // Without records nothing shows which fields are built in.
  if (!(await readProperties(context, known, isFound))) return;
  const unknown = names.filter(name => !isKnown(name, known));
  reports.check(
    CODE,
    key,
    unknown.flatMap(name => problemOf(name, known, process.processId) ?? []),
  );
}

function isKnown({ typed, of }: FieldName, known: Known): boolean {
  return of.some(entity => known[entity].has(bare(typed)));
}

/** Adds the properties of the records until `isFound`, or of enough projects. @returns false without any project */
async function readProperties(
  { process, snapshots }: PassContext,
  known: Known,
  isFound: () => boolean,
): Promise<boolean> {
  let projects = 0;
  for await (const page of snapshots.heads(process)) {
    for (const head of page) {
      const { record = {}, tasks } = head.whole?.()?.content ?? {};
      for (const property of Object.keys(record)) known.project.add(property);
      for (const task of tasks?.values() ?? [])
        for (const property of Object.keys(task)) known.task.add(property);
      projects++;
      if (isFound()) return true;
    }
    if (projects >= MAX_PROJECTS) break;
  }
  return projects > 0;
}

function problemOf({ typed, place, of, isShared }: FieldName, known: Known, process: string) {
  const ofProject = [...known.project].map(property => `${PROJECT}${property}`);
  const ownNames = typed.startsWith(PROJECT) ? [] : of.flatMap(entity => [...known[entity]]);
  const meant = nearest(typed, [...new Set([...ownNames, ...ofProject])]);
  if (meant === undefined && isShared) return undefined;
  const record = of.length > 1 ? 'project or task' : of[0];
  const hint = meant === undefined ? '' : ` Did you mean "${meant}"?`;
  return `${place}: no ${record} of ${process} has the field "${typed}".${hint}`;
}

function namesIn({ process, settings, filters = [] }: PassContext): readonly FieldName[] {
  return [
    ...(settings.rules ?? []).flatMap(({ event, field, where }, index) => {
      const own = { of: [event.startsWith('task.') ? 'task' : 'project'], isShared: false } as const;
      return [
        ...(field === undefined ? [] : [{ typed: field, place: `rules[${index}].field`, ...own }]),
        ...inConditions(where, `rules[${index}].where`, own),
      ];
    }),
    ...filters.flatMap(one => inFilter(one, process)),
  ];
}

/** Without the prefix for the project's fields. */
const bare = (typed: string): string => (typed.startsWith(PROJECT) ? typed.slice(PROJECT.length) : typed);

function propertiesIn(fields: Rules['projectFields']): Set<string> {
  return new Set([...fields].flatMap(([property, { name }]) => [property, name]));
}

function inFilter(
  { name, filter = {} }: Pick<EndpointSettings, 'name' | 'filter'>,
  { workspace, processId }: ProcessKey,
): readonly FieldName[] {
  const { workspaces, processes, fields = [], values = [], where } = filter;
  if (workspaces?.includes(workspace) === false || processes?.includes(processId) === false) return [];
  const any = { of: ['project', 'task'], isShared: processes?.length !== 1 } as const;
  const place = `endpoint ${name}, filter`;
  return [
    ...fields.map((typed, index) => ({ typed, place: `${place}.fields[${index}]`, ...any })),
    ...values.map(({ field }, index) => ({ typed: field, place: `${place}.values[${index}].field`, ...any })),
    ...inConditions(where, `${place}.where`, any),
  ];
}

function inConditions(
  where: readonly Conditions[] = [],
  place: string,
  { of, isShared }: Pick<FieldName, 'of' | 'isShared'>,
): readonly FieldName[] {
  return where.flatMap((group, index) =>
    Object.keys(group).map(typed => ({
      typed,
      place: where.length === 1 ? place : `${place}[${index}]`,
      of: typed.startsWith(PROJECT) ? (['project'] as const) : of,
      isShared,
    })),
  );
}

/** Reports names in `withhold` that fields are called by, but that no record shows: those fields are not withheld. */
export function reportNames(
  { settings: { withhold = [] }, reports }: Pick<PassContext, 'settings' | 'reports'>,
  { project, task }: Definitions,
): void {
  const fields = [...project, ...task];
  for (const name of withhold) {
    if (fields.some(({ externalId }) => withheldProperties([externalId]).has(name))) continue;
    const called = fields.find(field => field.name === name);
    const message = 'A field is not withheld, because `withhold` has its name: use its externalId.';
    if (called)
      reports.once(`not-withheld-${called.externalId}`, message, {
        field: name,
        externalId: called.externalId,
      });
  }
}
