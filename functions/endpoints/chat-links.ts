import type { ProjectEvent, TaskEvent } from '../changes/event.ts';
import { workspaceOf } from './chat-origin.ts';

/** Addresses of a workspace's records, with `{processId}`, `{projectId}` and, for tasks, `{taskId}` in them: checked where they are configured. */
export interface LinkTemplate {
  readonly workspace: string;
  readonly project?: string | undefined;
  readonly task?: string | undefined;
}

export type LinkTemplates = readonly LinkTemplate[];

/** A longer one is worth less than the changes that it would take the room of. */
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
  // Browsers take these for steps in a path, however they are encoded: the link would lead somewhere else.
  if (template === undefined || Object.values(values).some(value => value === '.' || value === '..')) return;
  const link = template.replace(/\{(\w+)\}/g, (_, name: string) => encoded(values[name] as string));
  return link.length > LINK_LENGTH ? undefined : link;
}

/** Percent-encoded; the five marks that `encodeURIComponent` leaves as they are mean something to those who look for links in texts. */
function encoded(value: string): string {
  return encodeURIComponent(value.toWellFormed()).replace(
    /[!'()*]/g,
    mark => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
