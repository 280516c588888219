import type { Json } from '../basics/json.ts';
import type { ProcessKey } from '../basics/process.ts';
import type { AuditEvent, ChangeEvent, ProjectEvent } from './event.ts';
import { decodePathPart, encodePart, eventSource, projectPart } from './event-id.ts';

/** A project of a process. */
export interface ProjectKey extends ProcessKey {
  readonly projectId: string;
}

/** An event of the journal whose contents were erased. It is not sent again. */
type Erased = ChangeEvent & { readonly erased: true };

export function isErased(event: object): event is Erased {
  return 'erased' in event;
}

/** Whether an event may have contents of the project: it is of the project or one of its tasks, or of an audit entry
 *  that names one of them. */
export function isAbout(
  event: { readonly source: string; readonly data: object },
  { workspace, processId, projectId }: ProjectKey,
): boolean {
  if (event.source !== eventSource(workspace, processId)) return false;
  if ('project' in event.data) return (event.data as ProjectData).project.id === projectId;
  return 'entry' in event.data && namesProject(event.data as AuditData, projectId);
}

type ProjectData = ProjectEvent['data'];
type AuditData = AuditEvent['data'];

/** Its lists may lack the project: if they were cut, or the pass did not know the project yet. */
function namesProject({ entry, projects, tasks, truncated = [] }: AuditData, id: string): boolean {
  return (
    projects.some(project => project.id === id) ||
    tasks.some(task => task.projectId === id) ||
    truncated.includes('projects') ||
    isNamedIn(entry, id)
  );
}

/** Whether a value or a part of a path in an audit entry is this identifier. */
function isNamedIn(entry: Json, id: string): boolean {
  const [text, quoted] = [JSON.stringify(entry), JSON.stringify(id)];
  const parts = text.split(/[",:{}[\]/?&=#]+/);
  return (
    text.includes(quoted) || parts.some(part => part === quoted.slice(1, -1) || decodePathPart(part) === id)
  );
}

/** Whether an event is of the project or one of its tasks, by its id, which does not name the workspace. */
export function isOfProject(id: string, { processId, projectId }: ProjectKey): boolean {
  return projectPart(id) === `${encodePart(processId)}.${encodePart(projectId)}`;
}

/** The event without its contents: which record changed when, but not what. */
export function eraseEvent(event: ChangeEvent): Erased {
  const { process, project, task, observed, since, projects, tasks, ...contents } =
    event.data as unknown as Record<string, object | undefined>;
  const named = Object.entries({ project, task }).flatMap(([name, part]) =>
    part ? [[name, { id: (part as { id: string }).id }]] : [],
  );
  const data = {
    ...{ process, ...Object.fromEntries(named) },
    ...present({ observed, since, projects, tasks }),
    ...('changes' in contents && { changes: [], truncated: ['record', 'changes'] }),
    ...('entry' in contents && { entry: null, users: [], truncated: ['entry', 'users'] }),
    ...('reason' in contents && { reason: 'erased' }),
  };
  return { ...event, data, erased: true } as unknown as Erased;
}

function present(parts: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(parts).filter(([, part]) => part !== undefined));
}
