import type { ChangeLine, Place } from './change-line.ts';

/** A project, or a task of it. */
export interface FoundRecord {
  readonly workspace: string;
  readonly process: string;
  readonly project: Place;
  readonly task: Place | undefined;
}

const MAX_COUNT = 500;

/** The records in lines with all words of the text in their name, or with it as their id; each once, in the order of
 *  the lines. */
export function recordsNamed(lines: readonly ChangeLine[], text: string): FoundRecord[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const isNamed = ({ id, name }: Place) =>
    id === text.trim() || words.every(word => name.toLowerCase().includes(word));
  const found = new Map<string, FoundRecord>();
  for (const { workspace, process, project, task } of lines)
    for (const one of [undefined, task]) {
      if (!project || (one === undefined && !isNamed(project)) || (one && !isNamed(one))) continue;
      const key = JSON.stringify([workspace, process, project.id, one?.id]);
      if (found.size < MAX_COUNT && !found.has(key))
        found.set(key, { workspace, process, project, task: one });
    }
  return [...found.values()];
}

/** `Onboarding › Task 12 (500012)`. */
export function recordText({ project, task }: FoundRecord): string {
  return task ? `${project.name} › ${task.name} (${task.id})` : `${project.name} (${project.id})`;
}
