import { compareProject } from '../../functions/changes/compare-project.ts';
import { jsonEqual } from '../../functions/changes/equal.ts';
import type { ProjectContent } from '../../functions/model/snapshot.ts';
import { type Contender, PROJECT } from './contenders.ts';
import type { Documents } from './documents.ts';

/** The parts of our comparison, each by itself. */
export function partsOf({ edited, rules }: Documents): Contender[] {
  const only = ({ record, tasks }: ProjectContent): ProjectContent => ({
    record,
    tasks: new Map(edited.map(id => [id, tasks.get(id) ?? {}])),
  });
  return [
    {
      name: 'finding each task by its identifier',
      compare: (before, after) => each(before.content, after.content, () => true),
    },
    {
      name: 'that, and walking the values of both',
      compare: (before, after) => each(before.content, after.content, jsonEqual),
    },
    {
      name: 'reporting the changes',
      compare: (before, after) => compareProject(PROJECT, only(before.content), only(after.content), rules),
    },
  ];
}

function each(known: ProjectContent, read: ProjectContent, isEqual: typeof jsonEqual): number {
  let equal = 0;
  for (const [id, after] of read.tasks) {
    const before = known.tasks.get(id);
    if (before && isEqual(before, after)) equal += 1;
  }
  return equal;
}
