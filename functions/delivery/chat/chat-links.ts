import type { LinkTemplate, LinkTemplates } from '../../model/endpoint.ts';
import type { ProjectEvent, TaskEvent } from '../../model/event.ts';
import { workspaceOf } from './chat-origin.ts';

/** A longer link is left out: changes make better use of its room. */
const LINK_LENGTH = 1_000;

/** Where the project of an event can be seen. */
export function projectLink(event: ProjectEvent | TaskEvent, templates?: LinkTemplates): string | undefined {
  const { process, project } = event.data;
  return filled(templateOf(event, templates)?.project, { processId: process.id, projectId: project.id });
}

/** Where the task of an event can be seen. */
export function taskLink(event: TaskEvent, templates?: LinkTemplates): string | undefined {
  const { process, project, task } = event.data;
  const values = { processId: process.id, projectId: project.id, taskId: task.id };
  return filled(templateOf(event, templates)?.task, values);
}

function templateOf(event: ProjectEvent | TaskEvent, templates?: LinkTemplates): LinkTemplate | undefined {
  const name = workspaceOf(event);
  return templates?.find(({ workspace }) => workspace === name);
}

function filled(template: string | undefined, values: Readonly<Record<string, string>>): string | undefined {
  // Browsers take `.` and `..` for steps in a path, even encoded: the link would lead somewhere else.
  if (template === undefined || Object.values(values).some(value => value === '.' || value === '..')) return;
  const link = template.replace(/\{(\w+)\}/g, (_, name: string) => encoded(values[name] as string));
  return link.length > LINK_LENGTH ? undefined : link;
}

/** Percent-encoded, with the five characters that `encodeURIComponent` leaves alone: programs that find links
 *  in texts may take them for punctuation or formatting. */
function encoded(value: string): string {
  return encodeURIComponent(value.toWellFormed()).replace(
    /[!'()*]/g,
    mark => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
