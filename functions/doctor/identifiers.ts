import { identifierNames, type RecordKind } from '../basics/identifier-names.ts';
import type { Json, JsonObject } from '../basics/json.ts';
import type { Probed } from '../service/probe.ts';
import { type Examination, type Examined, found } from './examination.ts';
import { readUsers } from './list-names.ts';
import { readProjects, textOf } from './lists.ts';
import { candidates, isUnique, projectKey, readTasks, saysSo } from './tasks.ts';
import { counted, propertyList, shown } from './words.ts';

/** Which property identifies projects, tasks and users (service-api.md §2.1, §2.4). */
export const identifiers: Examination = {
  topic: 'identifiers',
  async examine(asker) {
    const projects = await readProjects(asker);
    const key = await projectKey(asker);
    const tasks = await readTasks(asker);
    const users = await readUsers(asker);
    return joined([
      judge('project', projects.items, [...projects.answers.slice(0, 1), ...key.asked], key.property),
      judge(
        'task',
        mostTasks(tasks.map(({ read }) => read.items)),
        tasks.flatMap(({ read }) => read.answers),
      ),
      judge('user', users.items, users.answers),
    ]);
  },
};

/** The tasks of the one project that has most: identifiers may be unique only within a project. */
function mostTasks(lists: readonly (readonly JsonObject[])[]): readonly JsonObject[] {
  return lists.toSorted((one, other) => other.length - one.length)[0] ?? [];
}

interface Judged extends Examined {
  readonly kind: RecordKind;
  /** The property to configure, where it is not the usual one. */
  readonly property?: string;
}

/** `proven`: the property that the service's own paths take, where that could be found out. */
export function judge(
  kind: RecordKind,
  records: readonly JsonObject[],
  asked: readonly Probed[],
  proven?: string,
): Judged {
  const topic = `${kind} identifiers`;
  const usual = identifierNames(kind).find(name => records.some(record => textOf(record[name]) !== ''));
  const possible = candidates(records, kind).filter(name => isUnique(records, name));
  const right = proven ?? (usual !== undefined && isUnique(records, usual) ? usual : possible[0]);
  const on = { asked, came: cameOf(kind, records, possible) };
  if (records.length === 0) {
    const remedy = `Ask the doctor again when there is a ${kind}.`;
    return {
      kind,
      findings: [found(topic, 'unknown', `There is no ${kind} to see it by.`, { ...on, remedy })],
    };
  }
  if (right === undefined) {
    const remedy = `Ask the operator of the service which property it is, and set identifiers.${kind}.`;
    const text = `No property identifies a ${kind}: none has a value of its own in each.`;
    return { kind, findings: [found(topic, 'warning', text, { ...on, remedy })] };
  }
  const isUsual = right === usual;
  const text = `${shown(right)} identifies a ${kind}: ${formOf(records.map(record => record[right]))}.`;
  const others = possible.filter(name => name !== right && saysSo(name));
  const more = others.length > 0 ? ` ${propertyList(others)} could, too.` : '';
  const finding = found(topic, isUsual ? 'fine' : 'setting', `${text}${more}`, {
    ...on,
    remedy: isUsual ? undefined : `Set identifiers.${kind}, as below.`,
  });
  return { kind, findings: [finding], ...(!isUsual && { property: right }) };
}

function cameOf(kind: RecordKind, records: readonly JsonObject[], possible: readonly string[]): string {
  if (records.length === 0) return `no ${kind}`;
  return `${counted(records.length, kind)}; different in each: ${propertyList(possible)}`;
}

function formOf(values: readonly (Json | undefined)[]): string {
  const types = new Set(values.map(value => typeof value));
  if (types.size > 1) return 'numbers and texts, mixed';
  return types.has('number') ? 'numbers, which become texts in events' : 'texts';
}

function joined(all: readonly Judged[]): Examined {
  const named = all.flatMap(({ kind, property }) => (property === undefined ? [] : [[kind, property]]));
  return {
    findings: all.flatMap(({ findings }) => findings),
    ...(named.length > 0 && { settings: { workspace: { identifiers: Object.fromEntries(named) } } }),
  };
}
