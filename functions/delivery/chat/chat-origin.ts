import type { ChangeEvent } from '../../model/event.ts';
import { label } from './chat-text.ts';
import type { ChatTopic } from './chat-topic.ts';

const ORIGIN_LENGTH = 60;

/** Where it happened, in words. */
export function originOf(event: ChangeEvent): string {
  const { id } = event.data.process;
  return `process ${label(id, ORIGIN_LENGTH)} · workspace ${label(workspaceOf(event), ORIGIN_LENGTH)}`;
}

/** The workspace's name. A configured name has no character that the source would encode. */
export function workspaceOf({ source }: ChangeEvent): string {
  return source.split('/')[2] ?? '';
}

/** From the earliest observation to the latest. */
export function spanOf(observed: readonly { after: string; before: string }[]): ChatTopic['observed'] {
  const after = Math.min(...observed.map(span => Date.parse(span.after)));
  const before = Math.max(...observed.map(span => Date.parse(span.before)));
  return Number.isNaN(after) || Number.isNaN(before) ? undefined : { after, before };
}
