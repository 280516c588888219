import type { Copy } from '../../examples/receiver/copy.ts';
import { known, type Told } from './told.ts';

/** What the copy of a receiver has, as the service shows it. */
export function stateOf(copy: Copy): Told {
  const records = [...copy.records()].map(([key, record]) => {
    const [project = '', task] = /projects\/([^/]+)(?:\/tasks\/(.+))?$/.exec(key)?.slice(1) ?? [];
    return { project, task, record: known(record as Record<string, string>) };
  });
  const told: Told = {};
  for (const { project, task, record } of records)
    if (task === undefined) told[project] = { project: record, tasks: {} };
  for (const { project, task, record } of records) {
    const of = told[project];
    if (task !== undefined && of) of.tasks[task] = record;
  }
  return told;
}
