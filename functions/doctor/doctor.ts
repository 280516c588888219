import type { ProcessKey } from '../basics/process.ts';
import type { DoctorAnswer } from '../operations/protocol/doctor.ts';
import type { ServiceProbe } from '../service/probe.ts';
import { type Asker, type AskerOptions, createAsker, readProjects } from './asker.ts';
import { examineDeleted, examineLog } from './audit-log.ts';
import { judgeClock, judgeLimits, judgeProcess, judgeToken } from './connection.ts';
import { type Judged, type Proposal, topicOf } from './finding.ts';
import { examineCursors, examinePageSizes, judgeEmpty, judgeLists, judgeOrder } from './lists.ts';
import { examineRecords, examineStability, judgeDefinitions, judgeIdentifiers } from './records.ts';
import { settingsOf, withConfigured } from './settings.ts';
import { createSurvey, type Survey } from './survey.ts';
import { examineUpdatedAfter } from './updated-after.ts';
import { examineTaskEdits, judgeUpdateTimes } from './updates.ts';

/** The table of checks, in the order of the report. The last ones judge the answers that the others got. */
const CHECKS: Readonly<Record<string, (survey: Survey) => Judged[] | Promise<Judged[]>>> = {
  'token life': survey => [judgeToken(survey.token)],
  'list names': judgeLists,
  identifiers: judgeIdentifiers,
  clock: judgeClock,
  'update times': judgeUpdateTimes,
  updatedAfter: examineUpdatedAfter,
  'task edits': examineTaskEdits,
  'audit log': examineLog,
  definitions: survey => [judgeDefinitions('project', survey), judgeDefinitions('task', survey)],
  paging: async survey => [judgeOrder(survey), await examineCursors(survey), judgeEmpty(survey)],
  'page size': examinePageSizes,
  'deleted projects': examineDeleted,
  records: examineRecords,
  'fields that change by themselves': examineStability,
  'rate limits': ({ asker }) => [judgeLimits(asker)],
};

/** Examines one process for what the API document leaves open, by some dozen requests. It changes nothing. */
export type Doctor = (process: ProcessKey) => Promise<DoctorAnswer>;

export interface DoctorOptions extends AskerOptions {
  /** Opens a probe of a workspace; it is closed at the end. @throws for an unknown workspace */
  readonly open: (workspace: string) => ServiceProbe;
  /** The settings that are configured already. */
  readonly configured?: (process: ProcessKey) => Proposal;
}

export function createDoctor(options: DoctorOptions): Doctor {
  return key => answerWith(options, key, examine);
}

/** Opens a probe for `examineProcess`, and answers with its findings and the settings that follow. */
export async function answerWith(
  options: DoctorOptions,
  key: ProcessKey,
  examineProcess: (asker: Asker) => Promise<readonly Judged[]>,
): Promise<DoctorAnswer> {
  const { workspace, processId: process } = key;
  const probe = options.open(workspace);
  try {
    const known = options.configured?.(key) ?? {};
    const judged = await examineProcess(createAsker(probe, process, options));
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

/** Asks for a token and the projects, without which nothing can be examined: `refusal` then says why. */
export async function begin(asker: Asker) {
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
    const others = Object.keys(CHECKS).filter(topic => !findings.some(finding => finding.topic === topic));
    const on = { asked: [], came: 'nothing' };
    return [...findings, ...others.map(topic => topicOf(topic).unknown(`It was not asked: ${refusal}.`, on))];
  }
  const all = [...begun.findings];
  const survey = begun.survey();
  for (const [topic, check] of Object.entries(CHECKS)) {
    const before = asker.met.length;
    try {
      all.push(...(await check(await survey)));
    } catch (error) {
      // A failure in one check is a finding, and doesn't stop the others.
      const came = error instanceof Error ? error.message : 'an unknown error';
      const on = { asked: asker.met.slice(before), came };
      all.push(topicOf(topic).unknown('It could not be looked into.', on, 'Ask the doctor again.'));
    }
  }
  return all;
}
