import type { LinkTemplates } from '../../../functions/model/endpoint.ts';
import type { ChangeEvent, ProjectEvent, TaskEvent } from '../../../functions/model/event.ts';
import { type Shown, visible } from '../../kit/delivery/shown.ts';
import type { Item } from './items.ts';

export type RecordEvent = ProjectEvent | TaskEvent;

/** With fewer records than these, a message has room for all links. */
const FEW = 5;

/** What is wrong with the links of a message about these events, in order, of one project or process. */
export function linkFault(
  shown: Shown,
  events: readonly ChangeEvent[],
  items: readonly Item[],
  templates: LinkTemplates,
): string | undefined {
  const addresses = addressesOf(events, templates);
  if (shown.link !== addresses.title) return `its title leads to ${shown.link} instead of ${addresses.title}`;
  const wanted = addresses.records.slice(0, shown.paragraphs.length);
  const linked = shown.paragraphs.filter(({ link }) => link !== undefined);
  // Where there is little room, no record has a link.
  if (linked.length === 0 && shown.paragraphs.length >= FEW) return undefined;
  for (const [index, { link, heading }] of shown.paragraphs.entries()) {
    if (link?.url !== wanted[index]) return `“${heading}” leads to ${link?.url} instead of ${wanted[index]}`;
    if (link && !isWholeName(link.text, heading, items[index]))
      return `of “${heading}” the words “${link.text}” lead to ${link.url}`;
  }
  return undefined;
}

/** Whether the link is the record's whole name and nothing else. */
function isWholeName(text: string, heading: string, item: Item | undefined): boolean {
  const name = visible(text);
  return (
    visible(heading).startsWith(`${name} · `) && (name.endsWith('…') || name === visible(item?.label ?? ''))
  );
}

/** The addresses for the title and for each record: none for what was deleted in the end. */
function addressesOf(events: readonly ChangeEvent[], templates: LinkTemplates) {
  const records = events.filter((event): event is RecordEvent => /^(project|task)\./.test(event.type));
  const [first] = records;
  if (!first) return { title: undefined, records: events.map(() => undefined) };
  const template = templates.find(({ workspace }) => first.source.startsWith(`/workspaces/${workspace}/`));
  const endOf = (isSame: (event: RecordEvent) => boolean) => records.findLast(isSame)?.type.split('.')[1];
  const isThere = endOf(({ type }) => type.startsWith('project.')) !== 'deleted';
  return {
    title: isThere ? address(template?.project, first) : undefined,
    records: records.map(event => {
      if (!('task' in event.data)) return undefined;
      const { id } = event.data.task;
      const end = endOf(({ data }) => 'task' in data && data.task.id === id);
      return isThere && end !== 'deleted' && event.type !== 'task.deleted'
        ? address(template?.task, event)
        : undefined;
    }),
  };
}

export function address(template: string | undefined, { data }: RecordEvent): string | undefined {
  const ids = [data.process.id, data.project.id, 'task' in data ? data.task.id : ''];
  if (template === undefined || ids.some(id => /^\.\.?$/.test(id))) return undefined;
  const [processId = '', projectId = '', taskId = ''] = ids.map(id =>
    [...new TextEncoder().encode(id)]
      .map(byte => String.fromCharCode(byte))
      .map(unit =>
        /[\w.~-]/.test(unit) ? unit : `%${unit.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
      )
      .join(''),
  );
  const parts = template
    .split(/[{}]/)
    .map((part, index) => (index % 2 === 0 ? part : ({ processId, projectId, taskId }[part] ?? part)));
  const link = parts.join('');
  return link.length > 1_000 ? undefined : link;
}
