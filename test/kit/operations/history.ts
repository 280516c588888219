import type { JsonObject } from '../../../functions/basics/json.ts';
import type { ProcessKey } from '../../../functions/basics/process.ts';
import { buildEvents } from '../../../functions/changes/build-events.ts';
import { compareProject, rulesOf } from '../../../functions/changes/compare-project.ts';
import { ignoredFields } from '../../../functions/changes/ignored-fields.ts';
import type { ChangeEvent } from '../../../functions/model/event.ts';
import type { ProjectContent } from '../../../functions/model/snapshot.ts';

/** A project's record and its tasks, by id. */
export interface Content {
  readonly record: JsonObject;
  readonly tasks: Readonly<Record<string, JsonObject>>;
}

const RULES = rulesOf(
  {
    project: [],
    task: [
      { externalId: 'count', name: 'Count', type: 'number' },
      { externalId: 'teams', name: 'Teams', type: 'multiple-choice' },
    ],
  },
  ignoredFields([]),
);

export const contentOf = ({ record, tasks }: Content): ProjectContent => ({
  record,
  tasks: new Map(Object.entries(tasks)),
});

/** The events between two contents of one project, as a pass builds them. */
export function eventsBetween(
  process: ProcessKey,
  projectId: string,
  [before, after]: readonly [ProjectContent | undefined, ProjectContent | undefined],
  version: number,
): ChangeEvent[] {
  const observed = { after: version - 1, before: version };
  const commit = {
    ...{ ...process, projectId, version, projectRecord: (after ?? before)?.record ?? {} },
    observed: { project: observed, task: observed },
  };
  return buildEvents(commit, compareProject(projectId, before, after, RULES));
}
