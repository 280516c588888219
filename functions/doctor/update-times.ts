import type { Finding } from '../operations/protocol/doctor.ts';
import type { Asker } from './asker.ts';
import { type Examination, type Examined, found } from './examination.ts';
import { readProjects } from './lists.ts';
import { readTasks } from './tasks.ts';
import { isOtherTime, isUsual, known, saysUpdate, timeFields, timeOf } from './times.ts';
import { customNames, type UpdateField, updateField } from './update-field.ts';
import { counted, propertyList, shown, span } from './words.ts';

const TOPIC = 'update times';
const RESOLUTION = 'resolution of update times';

/** The fields that hold a record's update time. One with an unusual name would be told as a change with every
 *  edit, so it should be configured. */
export const updateTimes: Examination = {
  topic: TOPIC,
  async examine(asker) {
    const { items, answers } = await readProjects(asker);
    if (items.length === 0) {
      const remedy = 'Ask the doctor again when there is a project.';
      return {
        findings: [found(TOPIC, 'unknown', NONE_YET, { asked: answers, came: 'no project', remedy })],
      };
    }
    const field = await updateField(asker);
    const inTasks = await taskFields(asker, field);
    const asked = [...answers.slice(0, 1), ...field.asked, ...inTasks.asked];
    const unusual = [field.name, ...field.others, ...inTasks.names].filter(
      name => name !== undefined && !isUsual(name),
    );
    return judged(field, [...new Set(unusual)] as string[], {
      asked,
      resolution: resolutionOf(field, items, answers),
    });
  },
};

function judged(
  field: UpdateField,
  unusual: readonly string[],
  { asked, resolution }: { asked: Parameters<typeof found>[3]['asked']; resolution: readonly Finding[] },
): Examined {
  if (unusual.length > 0) {
    const came = `fields with times of updates: ${propertyList([field.name, ...field.others].filter(name => name !== undefined))}`;
    const text = `${propertyList(unusual)}: such a field changes with every update, and its name is no usual one. Each update would tell its change.`;
    const remedy = 'Set ignoreFields, as below.';
    const finding = found(TOPIC, 'setting', text, { asked, came: unusual.length > 0 ? came : '', remedy });
    return { findings: [finding, ...resolution], settings: { process: { ignoreFields: [...unusual] } } };
  }
  if (field.name === undefined) {
    const text =
      'Records do not say when they were updated. Each pass then reads the tasks of every project that was updated lately.';
    return { findings: [found(TOPIC, 'warning', text, { asked, came: 'no field with such times' })] };
  }
  const text = `Records tell their updates in ${shown(field.name)}. Its change alone is no change.`;
  return {
    findings: [found(TOPIC, 'fine', text, { asked, came: `times in ${shown(field.name)}` }), ...resolution],
  };
}

const NONE_YET = 'There is no project to see it by.';

/** Such fields of tasks: named like one of the projects', or named like an update time. */
async function taskFields(asker: Asker, field: UpdateField) {
  const read = await readTasks(asker);
  const records = read.flatMap(each => each.read.items);
  const fields = timeFields(records, await customNames(asker, 'task'));
  const ofProjects = new Set([field.name, ...field.others]);
  const names = fields
    .filter(
      ({ name }) => !isUsual(name) && (ofProjects.has(name) || (saysUpdate(name) && !isOtherTime(name))),
    )
    .map(({ name }) => name);
  return { names, asked: read.flatMap(each => each.read.answers) };
}

const UNITS = [60_000, 1000];
/** Fewer could be whole seconds or minutes by chance. */
const WITNESSES = 4;
/** A pass trusts an update time if it read the record at least so long after it. */
const TRUSTED_AFTER = 5_000;

function resolutionOf(
  { name = '' }: UpdateField,
  records: Parameters<typeof timeFields>[0],
  asked: Parameters<typeof found>[3]['asked'],
): Finding[] {
  const times = new Set(known(records.map(record => timeOf(record[name]))));
  const latest = [...times].sort((one, other) => other - one).slice(0, WITNESSES);
  const came = counted(times.size, 'different time');
  if (latest.length < WITNESSES) {
    const remedy = 'Ask the doctor again when more projects were edited.';
    return [found(RESOLUTION, 'unknown', 'Too few times differ to see it by.', { asked, came, remedy })];
  }
  const unit = UNITS.find(each => latest.every(time => time % each === 0));
  if (unit === undefined) return [found(RESOLUTION, 'fine', 'They tell milliseconds.', { asked, came })];
  const text = `They are whole multiples of ${span(unit)}: edits within one have the same time.`;
  if (unit <= TRUSTED_AFTER)
    return [found(RESOLUTION, 'fine', `${text} Passes allow for that.`, { asked, came })];
  const remedy = 'An edit may be told by the next sweep only: set sweep to a shorter time.';
  return [found(RESOLUTION, 'warning', text, { asked, came, remedy })];
}
