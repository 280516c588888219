import { buildEvents } from '../../functions/changes/build-events.ts';
import { compareProject, keepArchived } from '../../functions/changes/compare-project.ts';
import { checkCommit } from '../../functions/pass/check-commit.ts';
import { changeGroups, encodeContent } from '../../functions/store/codec.ts';
import { PROJECT } from '../compare/contenders.ts';
import { type Documents, documentsOf, type Parsed, parse } from '../compare/documents.ts';
import { type Findings, type Line, median, type Print, rounded } from './line.ts';

export interface AssertionsScale {
  readonly rounds: number;
}

const WARM_UP = 40;
/** Of the processor time of a commit. */
const GOAL = 0.05;
const AT = Date.UTC(2026, 10, 22);
const PROCESS = { workspace: 'bench', processId: 'launch' };

/** What the assertions about a commit cost, beside the other work of the same commit: comparing, building
 *  events, encoding. The table is not asked. */
export async function measureAssertions({ rounds }: AssertionsScale, print: Print): Promise<Findings> {
  const lines = [
    { tasks: 1_000, edited: 10 },
    { tasks: 30, edited: 1 },
  ].map(({ tasks, edited }): Line => {
    print(`assertions of a commit of ${tasks} tasks`);
    const { commits, checks } = timesOf(documentsOf(tasks, edited), rounds);
    const ratio = median(checks) / median(commits);
    return {
      what: `assertions ÷ a commit's other work, ${rounded(tasks)} tasks`,
      goal: `≤ ${GOAL}`,
      measured: `${ratio.toFixed(3)} (${median(checks).toFixed(3)} ms, ${median(commits).toFixed(2)} ms)`,
      isMet: ratio <= GOAL,
    };
  });
  return { lines };
}

/** The times of each round, in ms: each parses the documents, commits, and checks that commit. */
function timesOf(documents: Documents, rounds: number): { commits: number[]; checks: number[] } {
  const times = { commits: [] as number[], checks: [] as number[] };
  for (let round = -WARM_UP; round < rounds; round += 1) {
    const [before, after] = [parse(documents.before), parse(documents.after)];
    const began = performance.now();
    const { request, changes } = commitOf(documents, before, after);
    const committed = performance.now();
    checkCommit(request, { processId: PROCESS.processId, lastVersion: 1, changes });
    const checked = performance.now();
    if (round < 0) continue;
    times.commits.push(committed - began);
    times.checks.push(checked - committed);
  }
  return times;
}

/** The work of a commit, up to its bytes. */
function commitOf({ rules }: Documents, { content: known }: Parsed, { content: read }: Parsed) {
  const content = keepArchived(known, read, rules);
  const changes = compareProject(PROJECT, known, content, rules);
  const observed = { after: AT - 60_000, before: AT };
  const origin = { ...PROCESS, projectId: PROJECT, projectRecord: content.record, version: AT };
  const events = buildEvents({ ...origin, observed: { project: observed, task: observed } }, changes);
  const times = { recordReadAt: AT, tasksReadAt: AT };
  const snapshot = { version: AT, content, ...times };
  const bytes = [encodeContent(snapshot), ...changeGroups(events)].length;
  const expected = { ...snapshot, version: 1, content: known };
  return { changes, bytes, request: { projectId: PROJECT, expected, snapshot, version: AT, events, at: AT } };
}
