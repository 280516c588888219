import type { Json } from '../basics/json.ts';
import { isJsonObject } from '../basics/json.ts';
import type { FieldDefinition } from '../model/field-definition.ts';
import type { Finding } from '../operations/protocol/doctor.ts';
import type { Probed } from '../service/probe.ts';
import { type Examination, found } from './examination.ts';
import { counted, propertyList } from './words.ts';

/** The definitions of custom fields, whose shape is open (service-api.md §2.4, §4 #6 and #7). */
export const definitions: Examination = {
  topic: 'definitions',
  async examine(asker) {
    const { process } = asker;
    const coverpage = await asker.get(['processes', process, 'coverpage']);
    const ofTasks = await asker.get(['processes', process, 'task-custom-fields'], {
      includeArchived: 'true',
    });
    const read = ({ body }: Probed) => (body === undefined ? [] : asker.definitions(body));
    return {
      findings: [
        judgeDefinitions('definitions of project fields', coverpage, read(coverpage)),
        judgeDefinitions('definitions of task fields', ofTasks, read(ofTasks)),
      ],
    };
  },
};

const TYPES = new Set(['text', 'number', 'date', 'single-choice', 'multiple-choice']);

export function judgeDefinitions(topic: string, answer: Probed, all: readonly FieldDefinition[]): Finding {
  const asked = [answer];
  if (answer.body === undefined) {
    const text =
      'They can not be read. Events then name custom fields by their property, and compare them as they stand.';
    const remedy = 'Ask the operator of the service for access.';
    return found(topic, 'warning', text, {
      asked,
      came: answer.failure ?? `status ${answer.status}`,
      remedy,
    });
  }
  const archived = all.filter(each => each.archived).length;
  const came = `${shapeOf(answer.body)}: ${counted(all.length, 'field')}, ${archived} archived`;
  if (all.length === 0 && !hasList(answer.body)) {
    const text = 'No definition is to be found in the answer.';
    return found(topic, 'warning', text, { asked, came, remedy: 'Report the shape of the answer.' });
  }
  const strange = all.filter(({ type }) => !TYPES.has(type)).map(({ type }) => type);
  if (strange.length > 0) {
    const text = `Types that are not known: ${propertyList([...new Set(strange)])}. Their values are compared as they stand.`;
    return found(topic, 'warning', text, { asked, came });
  }
  return found(topic, 'fine', `They come as ${shapeOf(answer.body)}, and all types are known.`, {
    asked,
    came,
  });
}

const hasList = (body: Json): boolean =>
  Array.isArray(body) || (isJsonObject(body) && Object.values(body).some(Array.isArray));

/** How deep in the answer the definitions are. */
function shapeOf(body: Json): string {
  if (Array.isArray(body)) return 'a list';
  if (!isJsonObject(body)) return 'no object';
  const lists = Object.entries(body).filter(([, value]) => Array.isArray(value));
  const isGrouped = lists.some(([, value]) =>
    (value as Json[]).some(
      each => isJsonObject(each) && Object.keys(each).some(key => /fields|items/i.test(key)),
    ),
  );
  return `${isGrouped ? 'groups of fields' : 'one list of fields'} in ${propertyList(lists.map(([key]) => key))}`;
}
