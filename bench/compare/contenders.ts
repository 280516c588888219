import deepDiff from 'deep-diff';
import jsonPatch from 'fast-json-patch';
import { create } from 'jsondiffpatch';
import microdiff from 'microdiff';
import { compareProject, keepArchived, type Rules } from '../../functions/changes/compare-project.ts';
import type { Parsed } from './documents.ts';

/** A way to compare two states of a project; it returns the differences. */
export interface Contender {
  readonly name: string;
  readonly compare: (before: Parsed, after: Parsed) => unknown;
}

/** The project's identifier. */
export const PROJECT = '1031';

/** Our comparison, as a pass uses it. */
export function ours(rules: Rules): Contender {
  const compare = ({ content: known }: Parsed, { content: read }: Parsed) =>
    compareProject(PROJECT, known, keepArchived(known, read, rules), rules);
  return { name: 'ours', compare };
}

const jsonDiffPatch = create();
/** Spares the search for cycles, which JSON has none of. */
const NO_CYCLES = { cyclesFix: false };

/** The libraries, each with the input that suits it best: plain objects, with tasks by their identifiers. */
export const LIBRARIES: readonly Contender[] = [
  { name: 'microdiff', compare: (before, after) => microdiff(before.plain, after.plain, NO_CYCLES) },
  { name: 'fast-json-patch', compare: (before, after) => jsonPatch.compare(before.plain, after.plain) },
  { name: 'jsondiffpatch', compare: (before, after) => jsonDiffPatch.diff(before.plain, after.plain) },
  { name: 'deep-diff', compare: (before, after) => deepDiff.diff(before.plain, after.plain) },
];
