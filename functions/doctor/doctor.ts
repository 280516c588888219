import type { Clock, Sleep } from '../basics/clock.ts';
import type { ProcessKey } from '../basics/process.ts';
import type { DoctorAnswer } from '../operations/protocol/doctor.ts';
import type { ServiceProbe } from '../service/probe.ts';
import { type Asker, createAsker, readProjects } from './asker.ts';
import { auditLog, deletedProjects } from './audit-log.ts';
import { clock, judgeProcess, judgeToken, rateLimits, token } from './connection.ts';
import { type Judged, type Proposal, unknown } from './finding.ts';
import { listNames, pageSizes, paging } from './lists.ts';
import { definitions, identifiers, records, stability } from './records.ts';
import { settingsOf, withConfigured } from './settings.ts';
import { type Check, createSurvey, type Survey } from './survey.ts';
import { updatedAfter } from './updated-after.ts';
import { taskEdits, updateTimes } from './updates.ts';

/** All checks, in the order of the report. The last ones judge the answers that the others got. */
const CHECKS: readonly Check[] = [
  ...[token, listNames, identifiers, clock, updateTimes, updatedAfter, taskEdits, auditLog],
  ...[definitions, paging, pageSizes, deletedProjects, records, stability, rateLimits],
];

/** Examines one process of the service for what its API document leaves open. Takes some dozen requests and
 *  as many seconds, and changes nothing. */
export type Doctor = (process: ProcessKey) => Promise<DoctorAnswer>;

export interface DoctorOptions {
  /** Opens a probe of a workspace; it is closed at the end. @throws for an unknown workspace */
  readonly open: (workspace: string) => ServiceProbe;
  readonly clock: Clock;
  readonly sleep: Sleep;
  /** The settings that are configured already. */
  readonly configured?: (process: ProcessKey) => Proposal;
  /** The most requests in all, and per second. */
  readonly most?: number;
  readonly perSecond?: number;
}

export function createDoctor(options: DoctorOptions): Doctor {
  return key => answerWith({ most: 200, perSecond: 5, ...options }, key, examine);
}

/** Opens a probe for `examineProcess`, and answers with its findings and the settings that follow. */
export async function answerWith(
  options: DoctorOptions & { readonly most: number; readonly perSecond: number },
  key: ProcessKey,
  examineProcess: (asker: Asker) => Promise<readonly Judged[]>,
): Promise<DoctorAnswer> {
  const { workspace, processId: process } = key;
  const probe = options.open(workspace);
  try {
    const judged = await examineProcess(createAsker({ ...options, probe, process }));
    const known = options.configured?.(key) ?? {};
    const news = judged.map(each => withConfigured(each, known));
    return {
      at: new Date(options.clock()).toISOString(),
      ...{ workspace, process },
      findings: news.map(({ settings: _, ...finding }) => finding),
      settings: settingsOf(news),
    };
  } finally {
    await probe.close();
  }
}

/** Reads what checks rest on. Without a token or a list of projects nothing can be examined: `refusal` then
 *  says why, and `findings` what was met. */
export async function begin(
  asker: Asker,
): Promise<{ findings: Judged[]; refusal: string } | { findings: Judged[]; survey: () => Promise<Survey> }> {
  const answer = await asker.token();
  if (answer.failure !== undefined) return { findings: [judgeToken(answer)], refusal: 'there is no token' };
  const projects = await readProjects(asker);
  const process = judgeProcess(projects);
  if (projects.answers.length === 0)
    return { findings: [judgeToken(answer), process], refusal: 'the process can not be read' };
  return { findings: [process], survey: () => createSurvey(asker, answer, projects) };
}

async function examine(asker: Asker): Promise<Judged[]> {
  const begun = await begin(asker);
  if ('refusal' in begun) {
    const { findings, refusal } = begun;
    const others = CHECKS.filter(({ topic }) => !findings.some(finding => finding.topic === topic));
    const on = { asked: [], came: 'nothing' };
    return [...findings, ...others.map(({ topic }) => unknown(topic, `It was not asked: ${refusal}.`, on))];
  }
  const all = [...begun.findings];
  const survey = begun.survey();
  for (const check of CHECKS) all.push(...(await examineSafely(check, asker, survey)));
  return all;
}

/** A failure in one check is a finding, and doesn't stop the others. */
async function examineSafely(check: Check, asker: Asker, survey: Promise<Survey>): Promise<Judged[]> {
  const before = asker.met.length;
  try {
    return await check.examine(await survey);
  } catch (error) {
    const came = error instanceof Error ? error.message : 'an unknown error';
    const on = { asked: asker.met.slice(before), came };
    return [unknown(check.topic, 'It could not be looked into.', on, 'Ask the doctor again.')];
  }
}
