import { byText } from '../basics/order.ts';
import type { PropertyChange } from '../model/event.ts';
import type { Definitions, FieldDefinition, FieldEntity, KnownField } from '../model/field-definition.ts';

/** What became of one field. */
export interface DefinitionChange {
  readonly entity: FieldEntity;
  readonly action: 'created' | 'updated' | 'archived' | 'deleted';
  /** The definition as it is now; of a deleted field, as it last was. */
  readonly field: FieldDefinition;
  readonly changes: readonly PropertyChange[];
}

/** Both lists as a pass read them; undefined where the service refused one, or reading it failed. */
export interface DefinitionsRead {
  readonly project: readonly FieldDefinition[] | undefined;
  readonly task: readonly FieldDefinition[] | undefined;
}

/** What follows from a reading. */
interface DefinitionsCompared {
  /** What is known from now on. */
  readonly definitions: Definitions;
  /** The changes to emit: fields of projects, then of tasks, by `externalId`. */
  readonly changes: readonly DefinitionChange[];
  /** True when there is nothing to emit and nothing to remember. */
  readonly isSame: boolean;
}

const ENTITIES = ['project', 'task'] as const;

/** Up to this many fields, or half of a list, may vanish at once. If more do, the service is more likely to
 *  have returned too little. */
const BULK_COUNT = 2;

/** Compares what a pass of the mode `by` read with what is known (docs/decisions/0018). The first reading of
 *  a list emits nothing, and a failed one changes nothing. A field that a list lacks is emitted once a second
 *  pass finds it missing, too; the same pass reading `isAgain` confirms nothing. */
export function compareDefinitions(
  known: Definitions,
  read: DefinitionsRead,
  by: NonNullable<KnownField['missing']>,
  isAgain = false,
): DefinitionsCompared {
  const project = compareList('project', known.project, read.project, { by, isAgain });
  const task = compareList('task', known.task, read.task, { by, isAgain });
  const before = ENTITIES.filter(entity => wasRead(known, entity));
  const now = ENTITIES.filter(entity => before.includes(entity) || read[entity] !== undefined);
  return {
    definitions: { project: project.fields, task: task.fields, read: now },
    changes: before.flatMap(entity => ({ project, task })[entity].changes),
    isSame: project.isSame && task.isSame && now.length === before.length,
  };
}

/** What is known when only the first `count` of the changes were emitted: the fields of the others stay as they
 *  were. */
export function definitionsAfter(
  known: Definitions,
  { definitions, changes }: Pick<DefinitionsCompared, 'definitions' | 'changes'>,
  count: number,
): Definitions {
  const unsent = changes.slice(count);
  const after = (entity: FieldEntity) => {
    const before = new Map(known[entity].map(field => [field.externalId, field]));
    const ofEntity = unsent.filter(change => change.entity === entity);
    const isUnsent = new Set(ofEntity.map(change => change.field.externalId));
    return definitions[entity].flatMap(field =>
      isUnsent.has(field.externalId) ? (before.get(field.externalId) ?? []) : [field],
    );
  };
  return { ...definitions, project: after('project'), task: after('task') };
}

/** True when fields are missing, and the next reading decides: then a `changes` pass reads the lists. Where
 *  too many are missing only sweeps decide, so that idle passes need no request. */
export function isInDoubt(known: Definitions): boolean {
  return ENTITIES.some(entity => {
    const expected = known[entity].filter(field => isExpected(entity, field));
    const missing = expected.filter(field => field.missing !== undefined);
    return missing.length > 0 && !isBulk(missing.length, expected.length);
  });
}

/** Older states don't record which lists were read; a list with known fields was. */
function wasRead(known: Definitions, entity: FieldEntity): boolean {
  return known[entity].length > 0 || known.read?.includes(entity) === true;
}

interface ListCompared {
  readonly fields: readonly KnownField[];
  readonly changes: readonly DefinitionChange[];
  readonly isSame: boolean;
}

function compareList(
  entity: FieldEntity,
  known: readonly KnownField[],
  read: readonly FieldDefinition[] | undefined,
  { by, isAgain }: { readonly by: NonNullable<KnownField['missing']>; readonly isAgain: boolean },
): ListCompared {
  if (!read) return { fields: known, changes: [], isSame: true };
  const knownById = new Map(known.map(field => [field.externalId, field]));
  const listed = new Set(read.map(field => field.externalId));
  const expected = known.filter(field => isExpected(entity, field));
  const missing = expected.filter(field => !listed.has(field.externalId));
  const isConfirmed = isBulk(missing.length, expected.length) ? bySweeps(by) : () => true;
  const mayConfirm = isAgain ? () => false : isConfirmed;
  const fields = [
    ...read.map(field => seen(knownById.get(field.externalId), field)),
    ...known
      .filter(field => !listed.has(field.externalId))
      .map(field => (isExpected(entity, field) ? missed(entity, field, by, mayConfirm) : field)),
  ];
  const changes = fields
    .flatMap(field => changeOf(entity, knownById.get(field.externalId), field) ?? [])
    .sort((one, other) => byText(one.field.externalId, other.field.externalId));
  const isSame = fields.every(field => knownById.get(field.externalId) === field);
  return { fields, changes, isSame };
}

/** A project's list may leave out archived fields; the tasks' list has them (service-api.md §4 #6, #7). */
function isExpected(entity: FieldEntity, field: KnownField): boolean {
  return !field.deleted && !(entity === 'project' && field.archived);
}

function isBulk(missing: number, expected: number): boolean {
  return missing > Math.max(BULK_COUNT, expected / 2);
}

/** When many fields are missing, they are believed only after two sweeps, which are hours apart. */
function bySweeps(by: KnownField['missing']) {
  return ({ missing }: KnownField) => by === 'sweep' && missing === 'sweep';
}

/** What is known of a field from now on. Where nothing is emitted it stays as it was emitted, even if its
 *  choices come in another order. */
function seen(before: KnownField | undefined, now: FieldDefinition): KnownField {
  if (!before || before.deleted || compareDefinition(before, now).length > 0) return now;
  return before.missing === undefined ? before : plainOf(before);
}

function missed(
  entity: FieldEntity,
  field: KnownField,
  by: NonNullable<KnownField['missing']>,
  mayConfirm: (field: KnownField) => boolean,
): KnownField {
  if (field.missing !== undefined && mayConfirm(field)) {
    return entity === 'task' ? { ...plainOf(field), deleted: true } : { ...plainOf(field), archived: true };
  }
  return field.missing === undefined || by === 'sweep' ? { ...field, missing: by } : field;
}

/** The definition alone, without our notes about the field. */
function plainOf({ missing, deleted, ...definition }: KnownField): FieldDefinition {
  return definition;
}

function changeOf(
  entity: FieldEntity,
  before: KnownField | undefined,
  now: KnownField,
): DefinitionChange | undefined {
  if (before === now) return undefined;
  const field = plainOf(now);
  if (now.deleted) return { entity, action: 'deleted', field, changes: [] };
  const isNew = !before || before.deleted === true;
  const changes = compareDefinition(isNew ? undefined : before, now);
  if (changes.length === 0) return undefined;
  const isArchived = now.archived === true && !before?.archived;
  return { entity, action: isNew ? 'created' : isArchived ? 'archived' : 'updated', field, changes };
}

/** The properties in which a definition differs from what was emitted, by name; for a new field, all that it
 *  has. Choices are a set: their order and repetition are no change. */
export function compareDefinition(
  before: FieldDefinition | undefined,
  now: FieldDefinition,
): PropertyChange[] {
  const isArchived = now.archived === true;
  // A new field is emitted with `archived` only if it is archived.
  const wasArchived = before ? before.archived === true : isArchived ? null : false;
  return [
    ...valueChange('archived', wasArchived, isArchived),
    ...valueChange('name', before?.name ?? null, now.name),
    ...optionsChange(before?.options ?? [], now.options ?? [], before === undefined),
    ...valueChange('type', before?.type ?? null, now.type),
  ];
}

function valueChange(
  field: 'archived' | 'name' | 'type',
  from: PropertyChange['from'],
  to: string | boolean,
) {
  return from === to ? [] : [{ field, from, to }];
}

function optionsChange(from: readonly string[], to: readonly string[], isNew: boolean): PropertyChange[] {
  const [before, after] = [new Set(from), new Set(to)];
  const [added, removed] = [[...after.difference(before)], [...before.difference(after)]];
  if (added.length === 0 && removed.length === 0) return [];
  return [{ field: 'options', from: isNew ? null : [...from], to: [...to], added, removed }];
}
