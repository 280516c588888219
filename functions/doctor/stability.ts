import type { JsonObject } from '../basics/json.ts';
import { jsonEqual } from '../changes/equal.ts';
import type { Probed } from '../service/probe.ts';
import type { Asker } from './asker.ts';
import { type Examination, type Examined, found } from './examination.ts';
import { identifierIn, pageBody, readProjects, textOf } from './lists.ts';
import { readTasks, tasksPath } from './tasks.ts';
import { isUsual, timeOf } from './times.ts';
import { customNames, updateField } from './update-field.ts';
import { counted, propertyList } from './words.ts';

const TOPIC = 'fields that change by themselves';

/** Reads some records again. A time that moved to about now while all other fields stayed changes with each
 *  look or update. */
export const stability: Examination = {
  topic: TOPIC,
  async examine(asker) {
    const projects = await readProjects(asker);
    const [first] = await readTasks(asker);
    const again = await asker.get(
      ['processes', asker.process, 'projects'],
      { first: projects.first },
      { again: true },
    );
    const tasksAgain =
      first && (await asker.get(tasksPath(asker, first.id), { first: first.read.first }, { again: true }));
    // A project's update time alone moves with each edit of a task.
    const { name, others } = await updateField(asker);
    const apart = [
      ...(await customNames(asker, 'project')),
      ...(name === undefined ? [] : [name]),
      ...others,
    ];
    const changed = [
      ...differing('project', projects.items, pageBody(again.body, 'projects').items, new Set(apart)),
      ...differing(
        'task',
        first?.read.items ?? [],
        pageBody(tasksAgain?.body).items,
        await customNames(asker, 'task'),
      ),
    ];
    return judgeStability(changed, [again, ...(tasksAgain ? [tasksAgain] : [])], nowOf(asker, again));
  },
};

const nowOf = (asker: Asker, { date }: Probed): number => date ?? asker.clock();

/** The only field in which two readings of a record differ. */
export interface Differing {
  readonly name: string;
  readonly before: JsonObject[string] | undefined;
  readonly after: JsonObject[string] | undefined;
}

export function differing(
  kind: 'project' | 'task',
  before: readonly JsonObject[],
  after: readonly JsonObject[],
  apart: ReadonlySet<string>,
): Differing[] {
  const property = identifierIn(before, kind) ?? '';
  const known = new Map(before.map(record => [textOf(record[property]), record]));
  return after.flatMap(record => {
    const other = known.get(textOf(record[property]));
    const names = other
      ? namesIn(other, record).filter(name => !jsonEqual(other[name] ?? null, record[name] ?? null))
      : [];
    const [name, ...more] = names.filter(each => !isUsual(each));
    if (!other || name === undefined || more.length > 0 || apart.has(name)) return [];
    return [{ name, before: other[name], after: record[name] }];
  });
}

function namesIn(one: JsonObject, other: JsonObject): string[] {
  return [...new Set([...Object.keys(one), ...Object.keys(other)])];
}

/** The time must be this close to now. */
const LATELY = 600_000;

export function judgeStability(
  changed: readonly Differing[],
  asked: readonly Probed[],
  now: number,
): Examined {
  const names = changed.filter(({ before, after }) => {
    const [was, is] = [timeOf(before), timeOf(after)];
    return was !== undefined && is !== undefined && is > was && Math.abs(now - is) < LATELY;
  });
  const fields = [...new Set(names.map(({ name }) => name))];
  const came = `${counted(changed.length, 'record')} with one field changed`;
  if (fields.length === 0) {
    const others = [...new Set(changed.map(({ name }) => name))];
    const text =
      others.length > 0
        ? `None is a time. What changed was ${propertyList(others)}, as an edit may do.`
        : 'None.';
    return { findings: [found(TOPIC, 'fine', text, { asked, came })] };
  }
  const text = `${propertyList(fields)} changed between two readings, and nothing else of the record.`;
  const finding = found(TOPIC, 'setting', text, { asked, came, remedy: 'Set ignoreFields, as below.' });
  return { findings: [finding], settings: { process: { ignoreFields: fields } } };
}
