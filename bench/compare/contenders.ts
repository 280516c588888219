import deepDiff from 'deep-diff';
import jsonPatch from 'fast-json-patch';
import { create } from 'jsondiffpatch';
import microdiff from 'microdiff';
import { compareProject, keepArchived, type Rules } from '../../functions/changes/compare-project.ts';
import type { Parsed } from './documents.ts';

/** What compares two states of a project; it returns what it found. */
export interface Contender {
  readonly name: string;
  readonly compare: (before: Parsed, after: Parsed) => unknown;
}

/** The project's identifier. */
export const PROJECT = '1031';

/** As a pass does it. */
export function ours(rules: Rules): Contender {
  const compare = ({ content: held }: Parsed, { content: read }: Parsed) =>
    compareProject(PROJECT, held, keepArchived(held, read, rules), rules);
  return { name: 'ours', compare };
}

const jsonDiffPatch = create();
/** JSON has no cycles, so none has to be looked for. */
const NO_CYCLES = { cyclesFix: false };

/** Each with what suits it best: plain objects, in which a task is found by its identifier. */
export const LIBRARIES: readonly Contender[] = [
  { name: 'microdiff', compare: (before, after) => microdiff(before.plain, after.plain, NO_CYCLES) },
  { name: 'fast-json-patch', compare: (before, after) => jsonPatch.compare(before.plain, after.plain) },
  { name: 'jsondiffpatch', compare: (before, after) => jsonDiffPatch.diff(before.plain, after.plain) },
  { name: 'deep-diff', compare: (before, after) => deepDiff.diff(before.plain, after.plain) },
];
