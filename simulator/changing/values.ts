import type { Json } from '../../functions/basics/json.ts';
import { believableValue, dateFrom, decimal } from '../believable/values.ts';
import { propertyOf } from '../data/properties.ts';
import { between, pick } from '../data/random.ts';
import { type Field, type FieldKind, type FieldType, fieldsOf, type RecordState } from '../data/workspace.ts';
import { byAssignee, isOpen, openProject, type Scene, workedTask } from './scene.ts';

/** Changes a custom field of this type in an open project or task. */
export function changeField(scene: Scene, kind: FieldKind, type: FieldType): boolean {
  const fields = fieldsOf(scene.process, kind).filter(field => field.type === type && !field.archived);
  const found = kind === 'task' ? workedTask(scene, isOpen) : undefined;
  const project = kind === 'task' ? found?.project : openProject(scene);
  if (!project || fields.length === 0) return false;
  const field = pick(scene.random, fields);
  const record = found?.task ?? project;
  const value = nextValue(scene, field, record);
  if (JSON.stringify(value) === JSON.stringify(record.values[field.externalId])) return false;
  const changes = { [propertyOf(kind, field.externalId)]: value };
  const { workspace, process, by } = scene;
  if (found)
    workspace.updateTask(process.id, project.id, found.task.id, changes, byAssignee(scene, found.task));
  else workspace.updateProject(process.id, project.id, changes, by);
  return true;
}

function nextValue(scene: Scene, field: Field, record: RecordState): Json {
  const { random, scenario, now } = scene;
  const value = record.values[field.externalId];
  if (field.type === 'multiple-choice' && Array.isArray(value)) return oneMoreOrLess(scene, field, value);
  if (typeof value === 'string' && value !== '') {
    if (field.type === 'date') return dateFrom(Date.parse(value), pick(random, [-1, 1, 1, 2, 3, 7, 7, 14]));
    if (field.type === 'number') return nearby(scene, field, Number(value));
  }
  return believableValue(scenario, field, random, now, between(random, 5, 40));
}

/** Adds or removes an option; the others keep the order of the definition. */
function oneMoreOrLess({ random }: Scene, field: Field, value: readonly Json[]): Json {
  const label = pick(random, field.options);
  return field.options.filter(option => value.includes(option) !== (option === label));
}

function nearby({ random, scenario }: Scene, field: Field, value: number): string {
  const [low, high, step] = scenario.numbers[field.externalId] ?? [1, 100, 1];
  const most = Math.max(1, Math.round((value * 0.2) / step));
  const moved = value + step * between(random, 1, most) * (random() < 0.6 ? 1 : -1);
  return decimal(Math.min(high, Math.max(low, moved)));
}
