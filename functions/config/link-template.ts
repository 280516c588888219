import * as z from 'zod';
import type { LinkTemplate } from '../model/endpoint.ts';
import { hint } from './nearest.ts';
import { isWords } from './shown.ts';
import { LOOPBACK, object } from './values.ts';

const PLACEHOLDERS = ['projectId', 'taskId', 'processId'] as const;
type Placeholder = (typeof PLACEHOLDERS)[number];

const LONGEST = 500;
const ADDRESS =
  `an https:// address of at most ${LONGEST} characters without spaces, user name or password, its placeholders behind ` +
  'the host; http:// only to 127.0.0.1, [::1] or localhost';

/** The address where people see a workspace's records. A template with `{taskId}` is for tasks; one
 *  without links a project, and also its tasks, to the project. */
export const linkTemplate = z.union(
  [
    template('projectId', PLACEHOLDERS),
    object({
      project: template('projectId', ['projectId', 'processId']).optional(),
      task: template('taskId', PLACEHOLDERS).optional(),
    }).refine(({ project, task }) => (project ?? task) !== undefined, {
      error: 'project, task or both in it',
    }),
  ],
  {
    error:
      'an address such as "https://app.example.com/p/{projectId}/t/{taskId}", or an object with the keys project, task',
  },
);

/** The part of a workspace's configuration that has its link templates. */
interface Linked {
  readonly name: string;
  readonly linkTemplate?: z.infer<typeof linkTemplate> | undefined;
}

/** The templates of all workspaces that have one, as the deliver function takes them. */
export function linkTemplatesOf({ workspaces }: { readonly workspaces: readonly Linked[] }): LinkTemplate[] {
  return workspaces.flatMap(({ name: workspace, linkTemplate: told }) => {
    if (told === undefined) return [];
    if (typeof told === 'object') return [{ workspace, ...told }];
    return [{ workspace, ...(told.includes('{taskId}') ? { task: told } : { project: told, task: told }) }];
  });
}

function template(required: Placeholder, allowed: readonly Placeholder[]) {
  return z.string({ error: ADDRESS }).superRefine((text, context) => {
    const message = placeholderProblem(text, required, allowed) ?? (isAddress(text) ? undefined : ADDRESS);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  });
}

function placeholderProblem(
  text: string,
  required: Placeholder,
  allowed: readonly Placeholder[],
): string | undefined {
  const found = [...text.matchAll(/\{([^{}]*)\}/g)].map(([, name = '']) => name);
  const unknown = found.find(name => !allowed.some(each => each === name));
  const those = `the placeholders ${allowed.map(name => `{${name}}`).join(', ')}`;
  if (unknown !== undefined)
    return `${those}, but not ${isWords(unknown) ? `{${unknown}}` : 'another'}${hint(unknown, allowed)}`;
  if (/[{}]/.test(text.replace(/\{\w+\}/g, ''))) return `${those}, and no other brace`;
  return found.includes(required) ? undefined : `an address with {${required}} in it`;
}

/** Whether the text is a safe address: values that fill the placeholders must change neither the host nor
 *  the way in which chats read it. */
function isAddress(text: string): boolean {
  const url = URL.parse(text);
  const isSecure = url?.protocol === 'https:' || LOOPBACK.test(text);
  const isPlain = text.length <= LONGEST && /^https?:\/\/[^/?#{}\\@]+[/?#][\x21-\x7e]*$/.test(text);
  return url !== null && isSecure && isPlain && url.username === '' && url.password === '';
}
